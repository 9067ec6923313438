package store

// nonBlock is nothing where no file blocks when it is opened.
const nonBlock = 0
