package store

import "golang.org/x/sys/unix"

// networkFS names the network file system that a folder is on, or "".
func networkFS(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return ""
	}
	switch uint32(st.Type) {
	case unix.NFS_SUPER_MAGIC:
		return "NFS"
	case unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "SMB"
	case unix.V9FS_MAGIC:
		return "9p"
	case unix.FUSE_SUPER_MAGIC:
		return "FUSE"
	case unix.AFS_SUPER_MAGIC, unix.CODA_SUPER_MAGIC:
		return "AFS or Coda"
	default:
		return ""
	}
}
