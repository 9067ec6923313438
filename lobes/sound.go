package lobes

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"memory-mcp/lobes/repo"
)

// A sound is a recording in the inbox. Its file stays where it is.
type sound struct {
	Path   string `json:"path"` // absolute, and without links
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	// Heard is the model that has listened; "" while none has. The text of the
	// item is what it heard.
	Heard string `json:"heard,omitempty"`
}

// A SoundPathError refuses a file as a recording to be listened to.
type SoundPathError struct {
	Path string
	Why  string
}

func (e *SoundPathError) Error() string {
	return fmt.Sprintf("record the audio %q: %s", e.Path, e.Why)
}

// Hear turns a recording into text at once, for somebody who waits; see
// [Transcriber]. The path is not looked at: it is for a person's own files.
func (s *Set) Hear(ctx context.Context, path string, progress func(done, total time.Duration)) ([]Spoken, error) {
	if err := s.deaf(); err != nil {
		return nil, err
	}
	return s.o.Transcriber.Transcribe(ctx, path, progress)
}

// deaf tells why nothing can be listened to; nil when it can.
func (s *Set) deaf() error {
	if s.o.Transcriber != nil {
		return nil
	}
	return &NoTranscriberError{cmp.Or(s.o.NoTranscriber, errNoTranscriber)}
}

var errNoTranscriber = errors.New("nothing listens here")

// soundItem is an item for a recording inside the lobe's project.
func (s *Set) soundItem(by By, t Target, l *Lobe, m Material) (*item, error) {
	if err := s.deaf(); err != nil {
		return nil, err
	}
	recording, below, err := s.soundOf(t, l, m.Audio)
	if err != nil {
		return nil, err
	}
	var c cleaner
	source, err := c.line("source", cmp.Or(m.Source, filepath.ToSlash(below)))
	if err != nil {
		return nil, err
	}
	role := "assistant"
	if m.Role == "user" {
		role = "user"
	}
	return &item{
		Hash: hashOf(role, "sound "+recording.SHA256), Sound: recording, Role: role,
		Actor: by.Actor, Session: by.store("").Session, Source: source,
	}, nil
}

// soundOf finds a recording below a folder of the project, and reads it for its
// hash. It also gives the path from that folder.
func (s *Set) soundOf(t Target, l *Lobe, name string) (*sound, string, error) {
	refuse := func(why string) (*sound, string, error) { return nil, "", &SoundPathError{name, why} }
	roots := s.projectRoots(t, l)
	if len(roots) == 0 {
		return refuse(fmt.Sprintf("the lobe %s has no project in which files lie", l.name))
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.standing(t, roots), path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return refuse(causeOf(err).Error())
	}
	for _, root := range roots {
		below, err := filepath.Rel(root, real)
		if err != nil || !filepath.IsLocal(below) {
			continue
		}
		recording, err := readSound(root, below)
		if err != nil {
			return refuse(causeOf(err).Error())
		}
		return recording, below, nil
	}
	return refuse("it is not inside the project " + roots[0])
}

// projectRoots are the folders of a lobe's project, without links: its own, and
// the working tree from which it is spoken to.
func (s *Set) projectRoots(t Target, l *Lobe) []string {
	var roots []string
	add := func(dir string) {
		if real, err := filepath.EvalSymlinks(dir); dir != "" && err == nil {
			roots = union(roots, []string{real})
		}
	}
	add(l.spec.Root)
	if l.spec.Repo == nil {
		return roots
	}
	for _, dir := range t.Dirs {
		if r, err := repo.Discover(dir, s.o.Git); err == nil && r.CommonDir == l.spec.Repo.CommonDir {
			add(r.Root)
		}
	}
	return roots
}

// standing is the folder from which a relative path is meant: the caller's,
// when that is in the project.
func (s *Set) standing(t Target, roots []string) string {
	for _, dir := range t.Dirs {
		for _, root := range roots {
			if below, err := filepath.Rel(root, resolved(dir)); err == nil && filepath.IsLocal(below) {
				return dir
			}
		}
	}
	return roots[0]
}

// readSound reads a file below a folder, out of which nothing leads: also no
// link that was laid meanwhile.
func readSound(root, below string) (*sound, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close() // only read
	info, err := dir.Stat(below)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	f, err := dir.Open(below)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err != nil {
		return nil, err
	}
	return &sound{Path: filepath.Join(root, below), Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// unchanged tells whether the file is still the one that was recorded.
func (r *sound) unchanged() error {
	now, err := readSound(filepath.Dir(r.Path), filepath.Base(r.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &UnheardError{r.Path, "it is gone"}
	case err != nil:
		return &UnheardError{r.Path, causeOf(err).Error()}
	case now.SHA256 != r.SHA256:
		return &UnheardError{r.Path, "it is not the file that was recorded: it has changed since"}
	}
	return nil
}

// causeOf leaves out the path, which is told already.
func causeOf(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// nothingSaid is why a recording gives no memory.
const nothingSaid = "nothing was said"

// hear listens to the recording of an item, if it is one that nobody has heard.
// It gives what needs no more work, or tells that the item has to wait.
func (j *job) hear(ctx context.Context, name string, it *item, out *Settled) (done *Settled, wait bool, err error) {
	for it.Sound != nil && it.Sound.Heard == "" {
		err := j.listen(ctx, name, it)
		var deaf *NoTranscriberError
		var unasked *UnaskedError
		var unheard *UnheardError
		var text *TextError
		switch {
		case err == nil:
		case errors.As(err, &deaf), errors.As(err, &unasked):
			// It says nothing about the recording, nor about what else waits.
			j.stopped, it.LastError = err.Error(), err.Error()
			it.Attempts = max(it.Attempts-1, 0)
			it.NotBefore = j.s.o.Now().Add(again(1)).UTC()
			return nil, true, j.box.save(name, it)
		case errors.As(err, &unheard), errors.As(err, &text):
			it.LastError = err.Error()
			done, err := j.giveUp(ctx, name, it, out)
			return done, false, err
		default:
			if wait, err := j.failed(ctx, name, it, err); wait || err != nil {
				return nil, wait, err
			}
			if it.Attempts >= mostAttempts {
				done, err := j.giveUp(ctx, name, it, out)
				return done, false, err
			}
		}
	}
	if it.Sound != nil && it.Text == "" {
		if err := j.receive(ctx, it); err != nil {
			return nil, false, err
		}
		return out.tell(it), false, j.box.remove(name)
	}
	if j.s.o.Extractor == nil {
		j.stopped = j.s.noModel()
		return nil, true, nil
	}
	return nil, false, nil
}

// listen puts what is said in a recording into its item. It is written down
// before, so that a death counts.
func (j *job) listen(ctx context.Context, name string, it *item) error {
	if err := j.s.deaf(); err != nil {
		return err
	}
	if it.Attempts >= mostAttempts {
		return &UnheardError{it.Sound.Path, fmt.Sprintf("listening was interrupted %d times", it.Attempts)}
	}
	it.Attempts++
	if err := j.box.save(name, it); err != nil {
		return err
	}
	if err := it.Sound.unchanged(); err != nil {
		return err
	}
	spoken, err := j.s.o.Transcriber.Transcribe(ctx, it.Sound.Path, nil)
	if err != nil {
		return err
	}
	if err := j.put(ctx, it, spoken); err != nil {
		return err
	}
	it.Sound.Heard = j.s.o.Transcriber.Name()
	it.Attempts, it.LastError, it.NotBefore = 0, "", time.Time{}
	return j.box.save(name, it)
}

// put makes the text of an item of what was heard, by the rules of all
// material.
func (j *job) put(ctx context.Context, it *item, spoken []Spoken) error {
	text := SpokenText(spoken)
	if text == "" {
		it.drop(map[string]int{nothingSaid: 1})
		return nil
	}
	heard, answer, err := newItem(By{Actor: it.Actor, Session: it.Session}, Material{Text: text, Role: it.Role, Source: it.Source, Spoken: spoken})
	var recalled *RecalledError
	if err == nil {
		var r reading
		if r, err = j.l.look(ctx); err == nil {
			err = j.s.dropKnown(ctx, r, heard, &answer)
		}
	}
	if errors.As(err, &recalled) {
		it.Known++
		return nil
	}
	if err != nil {
		return err
	}
	it.Text, it.Spoken, it.Masked = heard.Text, heard.Spoken, heard.Masked
	return nil
}
