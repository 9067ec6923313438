package store

// nonBlock is nothing where no file blocks when it is opened.
const nonBlock = 0

// noFollow would make the opening of a symbolic link fail; here whoever opens
// looks first.
const noFollow = 0
