package entry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxID      = 128 // bytes
	maxPathID  = 100 // bytes of an id made from a path, before its hash
	maxSegment = 100 // bytes of a folder's name
	maxSlug    = 60  // bytes of the title in a file's name
)

// NewID makes an id for a new entry of a topic from 4 random bytes. It panics
// when the source of randomness fails, as there is no id without one.
func NewID(topic string, random io.Reader) string {
	var b [4]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		panic(fmt.Sprintf("read 4 random bytes for an id: %v", err))
	}
	return InfoOf(topic).Prefix + "-" + hex.EncodeToString(b[:])
}

// ValidID tells whether s can be an id: letters, digits, ".", "_" and "-",
// first a letter or a digit, at most 128 bytes.
func ValidID(s string) bool {
	if s == "" || len(s) > maxID || !utf8.ValidString(s) {
		return false
	}
	for i, r := range s {
		if !isNameRune(r) || i == 0 && !isAlnum(r) {
			return false
		}
	}
	return true
}

func isAlnum(r rune) bool {
	if r < 0x80 {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// isNameRune tells whether r may stand in an id or a module's name. The marks
// of scripts that need them count as letters.
func isNameRune(r rune) bool {
	return isAlnum(r) || r == '.' || r == '_' || r == '-' || r >= 0x80 && unicode.IsMark(r)
}

// IsEntryPath tells whether a slash-separated path relative to the lobe is one
// at which an entry can lie.
func IsEntryPath(p string) bool {
	if len(p) < len(".md") || !strings.EqualFold(p[len(p)-3:], ".md") {
		return false
	}
	for seg := range strings.SplitSeq(p, "/") {
		if seg == "" || strings.ContainsRune(".#~", rune(seg[0])) {
			return false
		}
	}
	return true
}

// NamedFor tells whether a file's name is that of the entry with this id:
// "ID.md", or "SLUG-ID.md".
func NamedFor(name, id string) bool {
	stem := stemOf(name)
	return stem == id || strings.HasSuffix(stem, "-"+id)
}

func stemOf(p string) string {
	name := path.Base(p)
	if len(name) > 3 && strings.EqualFold(name[len(name)-3:], ".md") {
		return name[:len(name)-3]
	}
	return name
}

// placed is what a path says of an entry whose header does not.
type placed struct{ id, topic, branch, title string }

func placeOf(p string) placed {
	dir, stem := path.Dir(p), stemOf(p)
	if dir == "." || dir == "/" {
		dir = ""
	}
	topic, below, _ := topicOfFolder(dir)
	name := strings.ReplaceAll(topic, "/", ".")
	if below != "" {
		name += "." + strings.ReplaceAll(below, "/", ".")
	}
	pl := placed{id: pathID(name + "." + stem), topic: topic, title: normalTitle(stem)}
	if topic == recentWork {
		pl.branch = below
	}
	return pl
}

// FiledUnder gives the topic in whose folder a file lies, when its entry says
// another one; "" when the folder is the topic's own or belongs to none.
func FiledUnder(e Entry, file string) string {
	dir, own := path.Dir(file), Dir(e)
	if dir == own || strings.HasPrefix(dir, own+"/") {
		return ""
	}
	if topic, _, belongs := topicOfFolder(dir); belongs && topic != e.Topic {
		return topic
	}
	return ""
}

// topicOfFolder splits a folder into its topic and the folders below it. All
// of a folder that belongs to no topic is below "general".
func topicOfFolder(dir string) (topic, below string, belongs bool) {
	if t, err := ParseTopic(dir); err == nil {
		return t, "", true
	}
	first, rest, _ := strings.Cut(dir, "/")
	if t := fold(first); isFixedTopic(t) {
		return t, rest, true
	}
	return general, dir, false
}

// pathID makes an id of a name: the same for every spelling of it that a file
// system may hold, and different for different names.
func pathID(name string) string {
	name = fold(name)
	var b strings.Builder
	lossy, gap := false, false
	for _, r := range name {
		if isNameRune(r) {
			b.WriteRune(r)
			gap = false
			continue
		}
		lossy = lossy || r != ' '
		if !gap {
			b.WriteByte('-')
		}
		gap = true
	}
	id := b.String()
	switch {
	case len(id) > maxPathID:
		return cutBytes(id, maxPathID) + "-" + hexSum(name)[:8]
	case lossy:
		return id + "-" + hexSum(name)[:4]
	}
	return id
}

func hexSum(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// cutBytes is the longest beginning of s of at most n bytes that ends between runes.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Dir is the folder, relative to the lobe, in which a new file of e belongs.
func Dir(e Entry) string {
	topic, err := ParseTopic(e.Topic)
	if err != nil {
		topic = general
	}
	if topic == recentWork && e.Branch != "" {
		return recentWork + "/" + folder(slug(e.Branch, "unknown"))
	}
	parts := strings.Split(topic, "/")
	for i := range parts {
		parts[i] = folder(parts[i])
	}
	return strings.Join(parts, "/")
}

// FileName is the name of a new file of e: "ID.md", or "SLUG-ID.md" when the
// title is wanted in it.
func FileName(e Entry, withSlug bool) string {
	if withSlug {
		if s := strings.Trim(cutBytes(slug(e.Title, ""), maxSlug), ".-"); s != "" {
			return folder(s+"-"+e.ID) + ".md"
		}
	}
	if reserved(e.ID) {
		return "id-" + e.ID + ".md"
	}
	return e.ID + ".md"
}

// slug keeps what may stand in a name on every file system.
func slug(s, empty string) string {
	var b strings.Builder
	for _, r := range fold(s) {
		switch {
		case isNameRune(r):
			b.WriteRune(r)
		default:
			b.WriteByte('-')
		}
	}
	out := b.String()
	for strings.Contains(out, "--") {
		out = strings.ReplaceAll(out, "--", "-")
	}
	if out = strings.Trim(out, "-."); out == "" {
		return empty
	}
	return out
}

// folder makes a name that every file system takes as a folder, and that the
// scan does not pass over.
func folder(name string) string {
	name = norm.NFC.String(fold(name))
	if len(name) > maxSegment {
		name = cutBytes(name, maxSegment) + "-" + hexSum(name)[:8]
	}
	if strings.ContainsRune(".#~", rune(name[0])) {
		name = "-" + name[1:]
	}
	if last := name[len(name)-1]; last == '.' || last == ' ' {
		name = name[:len(name)-1] + "-"
	}
	if reserved(name) {
		base, rest, dot := strings.Cut(name, ".")
		name = base + "-"
		if dot {
			name += "." + rest
		}
	}
	return name
}

// reserved tells whether Windows gives a name to a device, with whatever ending.
func reserved(name string) bool {
	base, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch base = strings.TrimRight(base, " "); base {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	if !strings.HasPrefix(base, "com") && !strings.HasPrefix(base, "lpt") {
		return false
	}
	switch base[3:] {
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
		return true
	}
	return false
}
