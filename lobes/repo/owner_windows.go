package repo

import (
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// deviceOf is unknown: git for Windows knows no such boundary either.
func deviceOf(string) (uint64, bool) { return 0, false }

// ownerOf names the owner of a path and tells whether that is this user, or
// the group of administrators while this user acts as one of them.
func ownerOf(path string, _ Options) (string, bool, error) {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return "", false, err
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return "", false, err
	}
	token := windows.GetCurrentProcessToken()
	me, err := token.GetTokenUser()
	if err != nil {
		return "", false, err
	}
	if owner.Equals(me.User.Sid) {
		return "", true, nil
	}
	if owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) {
		if member, err := windows.Token(0).IsMember(owner); err == nil && member {
			return "", true, nil
		}
	}
	name, domain, _, err := owner.LookupAccount("")
	if err != nil {
		return owner.String(), false, nil
	}
	return domain + `\` + name, false, nil
}

// changed is when a file was last written: Windows tells no more here.
func changed(fi os.FileInfo) time.Time { return fi.ModTime() }
