package repo

import (
	"io/fs"
	"strconv"
	"strings"
)

// Shared are the permission bits besides the owner's that core.sharedRepository
// gives to the repository's files and folders: 0 where it says nothing, or
// nothing that git would understand. For a file the bits to execute are left out.
func (r Repo) Shared() fs.FileMode {
	c, err := loadConfig(r.CommonDir, r.GitDir)
	if err != nil {
		return 0
	}
	value, _ := c.get("core", "sharedrepository")
	switch strings.ToLower(value) {
	case "group", "true", "yes", "on", "1":
		return 0o070
	case "all", "world", "everybody", "2":
		return 0o075
	}
	bits, err := strconv.ParseUint(value, 8, 32)
	if err != nil || !strings.HasPrefix(value, "0") || bits&0o600 != 0o600 {
		return 0
	}
	shared := fs.FileMode(bits) & 0o066
	return shared | shared>>2&0o011 // who may read a folder may enter it
}
