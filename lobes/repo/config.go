package repo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// A setting is one line of a git configuration file. Section and key are in
// lower case, the subsection keeps its case, as git compares them.
type setting struct {
	section, subsection, key, value string
}

// A gitConfig is a configuration file in the order of its lines.
type gitConfig []setting

// get is the last value of a key, which is the one that counts.
func (c gitConfig) get(section, key string) (string, bool) {
	for i := len(c) - 1; i >= 0; i-- {
		if s := c[i]; s.section == section && s.subsection == "" && s.key == key {
			return s.value, true
		}
	}
	return "", false
}

func (c gitConfig) on(section, key string) bool {
	v, ok := c.get(section, key)
	if !ok {
		return false
	}
	switch strings.ToLower(v) {
	case "true", "yes", "on":
		return true
	}
	return strings.Trim(v, "0123456789") == "" && strings.Trim(v, "0") != ""
}

// loadConfig reads the configuration of a repository, and the one that
// belongs to the working tree alone where the repository says so. Includes
// are not followed: git does not either for the keys asked for here.
func loadConfig(common, gitDir string) (gitConfig, error) {
	c, err := readConfig(filepath.Join(common, "config"))
	if err != nil || !c.on("extensions", "worktreeconfig") {
		return c, err
	}
	own, err := readConfig(filepath.Join(gitDir, "config.worktree"))
	return append(c, own...), err
}

func readConfig(path string) (gitConfig, error) {
	b, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &GitFileError{Path: path, Reason: "cannot be read", Err: err}
	}
	c, err := parseConfig(b)
	if err != nil {
		return nil, &GitFileError{Path: path, Reason: "is no git configuration", Err: err}
	}
	return c, nil
}

// parseConfig reads the format of git's configuration files. Its errors name
// the line and no content.
func parseConfig(b []byte) (gitConfig, error) {
	p := configParser{rest: bytes.TrimPrefix(b, []byte("\ufeff")), line: 1}
	for p.skipBlank(); len(p.rest) > 0; p.skipBlank() {
		var err error
		if p.rest[0] == '[' {
			err = p.header()
		} else {
			err = p.assignment()
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	return p.out, nil
}

type configParser struct {
	rest                []byte
	line                int
	section, subsection string
	out                 gitConfig
}

var (
	errConfigHeader = errors.New("a section header that does not end")
	errConfigKey    = errors.New("a line that is neither a section nor a key")
	errConfigValue  = errors.New("a value that does not end")
)

// skipBlank drops white space and comments.
func (p *configParser) skipBlank() {
	for len(p.rest) > 0 {
		switch c := p.rest[0]; {
		case c == '\n':
			p.line++
			p.rest = p.rest[1:]
		case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			p.rest = p.rest[1:]
		case c == '#' || c == ';':
			p.skipLine()
		default:
			return
		}
	}
}

func (p *configParser) skipLine() {
	if i := bytes.IndexByte(p.rest, '\n'); i >= 0 {
		p.rest = p.rest[i:]
		return
	}
	p.rest = nil
}

// header reads [section], [section.subsection] and [section "subsection"].
func (p *configParser) header() error {
	end := bytes.IndexAny(p.rest, "]\n\"")
	if end < 0 || p.rest[end] == '\n' {
		return errConfigHeader
	}
	name := strings.TrimSpace(string(p.rest[1:end]))
	if p.rest[end] == ']' {
		p.section, p.subsection, _ = strings.Cut(strings.ToLower(name), ".")
		p.rest = p.rest[end+1:]
		return nil
	}
	p.section = strings.ToLower(name)
	p.rest = p.rest[end+1:]
	return p.quotedSubsection()
}

func (p *configParser) quotedSubsection() error {
	var sub []byte
	for i := 0; i < len(p.rest); i++ {
		switch c := p.rest[i]; c {
		case '\n':
			return errConfigHeader
		case '\\':
			if i++; i < len(p.rest) && p.rest[i] != '\n' {
				sub = append(sub, p.rest[i])
			}
		case '"':
			if i+1 >= len(p.rest) || p.rest[i+1] != ']' {
				return errConfigHeader
			}
			p.subsection, p.rest = string(sub), p.rest[i+2:]
			return nil
		default:
			sub = append(sub, c)
		}
	}
	return errConfigHeader
}

// assignment reads "key", which means true, or "key = value".
func (p *configParser) assignment() error {
	n := 0
	for n < len(p.rest) && isKeyByte(p.rest[n]) {
		n++
	}
	if n == 0 || p.section == "" {
		return errConfigKey
	}
	key := strings.ToLower(string(p.rest[:n]))
	p.rest = bytes.TrimLeft(p.rest[n:], " \t")
	value := "true"
	if len(p.rest) > 0 && p.rest[0] == '=' {
		p.rest = p.rest[1:]
		var err error
		if value, err = p.value(); err != nil {
			return err
		}
	} else if len(p.rest) > 0 && !strings.ContainsRune("\r\n#;", rune(p.rest[0])) {
		return errConfigKey
	}
	p.out = append(p.out, setting{p.section, p.subsection, key, value})
	return nil
}

func isKeyByte(c byte) bool {
	return c == '-' || c < 0x80 && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)))
}

// value reads to the end of the line: quotes keep blanks and comment signs, a
// backslash before the line's end continues it, blanks outside of quotes are
// dropped at both ends.
func (p *configParser) value() (string, error) {
	var out []byte
	kept := 0 // the length that trailing blanks may not be cut below
	quoted := false
	for i := 0; i < len(p.rest); i++ {
		c := p.rest[i]
		switch {
		case c == '\n' || !quoted && (c == '#' || c == ';'):
			if quoted {
				return "", errConfigValue
			}
			p.rest = p.rest[i:]
			if c != '\n' {
				p.skipLine()
			}
			return trimValue(out, kept), nil
		case c == '"':
			quoted = !quoted
			kept = len(out)
		case c == '\\':
			i++
			r, ok := unescape(p.rest[i:])
			if !ok {
				return "", errConfigValue
			}
			if r == 0 { // a continued line
				i += bytes.IndexByte(p.rest[i:], '\n')
				p.line++
				continue
			}
			out = append(out, r)
			kept = len(out)
		case !quoted && len(out) == 0 && (c == ' ' || c == '\t'):
		default:
			out = append(out, c)
			if quoted {
				kept = len(out)
			}
		}
	}
	p.rest = nil
	if quoted {
		return "", errConfigValue
	}
	return trimValue(out, kept), nil
}

func trimValue(out []byte, kept int) string {
	return string(out[:kept]) + strings.TrimRight(string(out[kept:]), " \t\r\v\f")
}

// unescape is the byte behind a backslash; zero stands for a continued line.
func unescape(b []byte) (byte, bool) {
	if len(b) == 0 {
		return 0, false
	}
	switch b[0] {
	case 'n':
		return '\n', true
	case 't':
		return '\t', true
	case 'b':
		return '\b', true
	case '\\', '"':
		return b[0], true
	case '\n':
		return 0, true
	case '\r':
		return 0, len(b) > 1 && b[1] == '\n'
	}
	return 0, false
}

// maxSmall bounds the files of git that are read whole; git's own bound for
// the largest of them, a ".git" file, is the same.
const maxSmall = 1 << 20

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("larger than any such file is")
)

// readSmall reads a regular file of moderate length. Pipes and devices are
// refused before they are opened, since opening one can wait for ever.
func readSmall(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, plain(err)
	}
	if !fi.Mode().IsRegular() {
		return nil, errNotRegular
	}
	if fi.Size() > maxSmall {
		return nil, errTooLarge
	}
	b, err := os.ReadFile(path)
	return b, plain(err)
}

// plain takes the path out of a file error, which the caller states itself.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
