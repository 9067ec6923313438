package store

// mayKeepOpen tells whether an open file can be replaced by a rename. Windows
// refuses, so nothing is looked at twice there.
const mayKeepOpen = false
