package repo

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxSlug is the longest slug in bytes: a folder name with room to spare in
// the 255 bytes that file systems allow.
const maxSlug = 100

// BranchSlug is the folder name of a branch: lower case, every run of
// characters other than letters, digits, dot and underscore made one hyphen.
// It never is hidden, never leaves the folder it is put in and never is a name
// that Windows reserves; a slug is its own slug.
func BranchSlug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(norm.NFC.String(strings.ToValidUTF8(name, "-"))) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '.', r == '_':
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	slug := trimSlug(norm.NFC.String(b.String()))
	if slug == "" {
		return "unknown"
	}
	return shorten(unreserved(slug))
}

// trimSlug takes away what may not stand at the ends of a folder name: a
// leading dot hides it, a trailing one is dropped by Windows.
func trimSlug(slug string) string { return strings.Trim(slug, "-.") }

func shorten(slug string) string {
	if len(slug) <= maxSlug {
		return slug
	}
	sum := sha256.Sum256([]byte(slug))
	cut := maxSlug - 9
	for !utf8.RuneStart(slug[cut]) {
		cut--
	}
	return trimSlug(slug[:cut]) + "-" + hex.EncodeToString(sum[:4])
}

// unreserved puts an underscore behind the device names of Windows, which
// claim a name up to its first dot.
func unreserved(slug string) string {
	base, rest, _ := strings.Cut(slug, ".")
	reserved := base == "con" || base == "prn" || base == "aux" || base == "nul" ||
		base == "conin$" || base == "conout$" ||
		len(base) == 4 && (base[:3] == "com" || base[:3] == "lpt") && base[3] >= '0' && base[3] <= '9'
	if !reserved {
		return slug
	}
	if rest == "" {
		return base + "_"
	}
	return base + "_." + rest
}
