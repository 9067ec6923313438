package repo

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// PathWithin reports whether path is root or lies below it. It compares whole
// segments, so "/a/app-tools" is not within "/a/app", and letter case only
// where the system's file names have it. Neither path is resolved.
func PathWithin(root, path string) bool {
	if root == "" || path == "" {
		return false
	}
	rel, err := filepath.Rel(foldCase(filepath.Clean(root)), foldCase(filepath.Clean(path)))
	if err != nil {
		return false
	}
	return rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func foldCase(path string) string {
	if runtime.GOOS == "windows" {
		return strings.ToLower(path)
	}
	return path
}

// RootURI is the path that a "file://" address names: percent-decoded, with
// drive letters ("file:///c%3A/x") and network shares ("file://host/share")
// on Windows. A plain absolute path is answered as it is.
func RootURI(uri string) (string, error) { return rootURI(uri, runtime.GOOS == "windows") }

func rootURI(uri string, windows bool) (string, error) {
	if !strings.HasPrefix(strings.ToLower(uri), "file:") {
		if filepath.IsAbs(uri) && !strings.ContainsRune(uri, 0) {
			return filepath.Clean(uri), nil
		}
		return "", fmt.Errorf("read the root %q: neither a file:// address nor an absolute path", uri)
	}
	u, err := url.Parse(uri)
	if err != nil {
		return "", fmt.Errorf("read the root %q: %w", uri, err)
	}
	path := u.Path
	if u.Opaque != "" {
		return "", fmt.Errorf("read the root %q: not an absolute file:// address", uri)
	}
	if strings.ContainsRune(path, 0) || path == "" {
		return "", fmt.Errorf("read the root %q: no usable path", uri)
	}
	local := u.Host == "" || strings.EqualFold(u.Host, "localhost")
	if windows {
		return windowsPath(u.Host, path, local), nil
	}
	if !local {
		return "", fmt.Errorf("read the root %q: it lies on another host, %q", uri, u.Host)
	}
	return filepath.Clean(path), nil
}

// windowsPath writes host and path of an address as Windows does.
func windowsPath(host, path string, local bool) string {
	if len(host) == 2 && host[1] == ':' { // file://c:/x, which is common though wrong
		path, local = "/"+host+path, true
	}
	back := strings.ReplaceAll(path, "/", `\`)
	if !local {
		return `\\` + host + back
	}
	if len(back) >= 3 && back[0] == '\\' && back[2] == ':' {
		back = strings.ToUpper(back[1:2]) + back[2:]
		if len(back) == 2 {
			back += `\`
		}
	}
	return back
}

// resolved is the path with symbolic links followed, or the cleaned path
// where it cannot be followed.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// sameDir reports whether both paths name one existing folder, however they
// are spelled.
func sameDir(a, b string) bool {
	fa, err := os.Stat(a)
	if err != nil || !fa.IsDir() {
		return false
	}
	fb, err := os.Stat(b)
	return err == nil && os.SameFile(fa, fb)
}

// against makes path absolute, relative to base.
func against(base, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}
