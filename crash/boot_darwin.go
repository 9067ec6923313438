package crash

import "golang.org/x/sys/unix"

// boot names the running boot of the machine; it is empty where the system
// does not tell.
func boot() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
