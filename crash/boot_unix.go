//go:build unix && !linux && !darwin

package crash

// boot is not known here, so that markers of an earlier boot count as ours.
func boot() string {
	return ""
}
