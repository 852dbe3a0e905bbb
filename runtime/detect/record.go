package detect

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/normal"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxEntryText bounds in bytes the text of an entry.
	maxEntryText = 3 << 10
	// maxRepeats is how often evidence with the same facts and the same normalised text is written.
	maxRepeats = 20
)

// ErrRecordFull is returned if evidence was not written because the record has reached its size.
var ErrRecordFull = errors.New("record is full")

// RecordOptions bound a record. Zero values are the defaults.
type RecordOptions struct {
	// MaxBytes is the greatest size of the file. The default is 1 MiB.
	MaxBytes int64
	// Now is the clock. The default is time.Now.
	Now func() time.Time
}

// Entry is a line of a [Record]. A record may have empty lines, and after a crash a line with half
// an entry.
type Entry struct {
	// Time is when the evidence was recorded, in UTC and to the second.
	Time     time.Time         `json:"time,omitzero"`
	Evidence taxonomy.Evidence `json:"evidence"`
}

// Record is a file of evidence that no rule matched, one [Entry] a line. "errgen suggest" proposes
// rules from it. Entries are appended, each in one write, so that several goroutines and processes
// can share a file; processes that write simultaneously may exceed its bound by an entry each.
// Secrets are masked. The output of failed work and credentials are not recorded.
type Record struct {
	options RecordOptions

	mu      sync.Mutex
	file    *os.File
	repeats map[string]int // by facts and normalised text
}

var _ Recorder = (*Record)(nil)

// OpenRecord opens the record at path. If it does not exist, OpenRecord creates it, readable by its
// owner only; the directory must exist. A directory, a symbolic link and a pipe are errors. The
// caller closes the record.
func OpenRecord(path string, o RecordOptions) (*Record, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, fmt.Errorf("open record: %w", err)
	}
	o.MaxBytes = cmp.Or(o.MaxBytes, 1<<20)
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Record{options: o, file: f, repeats: make(map[string]int)}, nil
}

// Record appends evidence, bounded as [taxonomy.Evidence.Masked] bounds it. It returns
// [ErrRecordFull] if the record has no room for it. Nil is ignored. After 20 entries with the same
// facts and the same [Normalize]d text, more of them are ignored.
func (r *Record) Record(ev *taxonomy.Evidence) error {
	if ev == nil {
		return nil
	}
	content := textOrError(ev)
	exit, exited := ev.ExitCode.Get()
	kind := fmt.Sprintf("%#v", []any{ev.Source, ev.Op, ev.Type, ev.Status, ev.Code, exit, exited, ev.Signal, ev.Errno,
		Normalize(content)})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.repeats[kind] >= maxRepeats {
		return nil
	}
	entry := Entry{Time: r.options.Now().UTC().Truncate(time.Second), Evidence: *ev}
	entry.Evidence.Text = text.BothEnds(content, maxEntryText)
	entry.Evidence.Output, entry.Evidence.Credential, entry.Evidence.Err = "", "", nil
	line, err := json.Marshal(&entry) // masks the rest
	if err == nil {
		err = r.append(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("record evidence: %w", err)
	}
	r.repeats[kind]++
	return nil
}

// append writes a line at the end of the file. If a crash cut the last line short, append first
// ends that line. If another process is still writing it, this leaves an empty line.
func (r *Record) append(line []byte) error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size > 0 {
		last := []byte{0}
		if _, err := r.file.ReadAt(last, size-1); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	if size+int64(len(line)) > r.options.MaxBytes {
		return ErrRecordFull
	}
	_, err = r.file.Write(line)
	return err
}

// Close closes the file. Recording afterwards is an error.
func (r *Record) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.file.Close()
}

// textOrError returns the text of evidence, or that of its error.
func textOrError(ev *taxonomy.Evidence) string {
	if ev.Text != "" || ev.Err == nil {
		return ev.Text
	}
	return errtree.Text(ev.Err)
}

// openRegular opens a file to append to it, and creates it if it does not exist.
func openRegular(path string) (*os.File, error) {
	const flags = os.O_RDWR | os.O_APPEND
	f, err := os.OpenFile(path, flags|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return atomicfile.OpenRegular(path, flags)
	}
	return f, err
}

// Normalize returns the common part of texts about one kind of failure, on one line of at most 100
// characters. Varying parts are replaced: quoted text by X, UUIDs by UUID, hexadecimal numbers of 8
// digits and more by HASH, paths of files by PATH and other runs of digits by N. Colours and
// control characters are removed, white space becomes one space. Normalising twice changes nothing.
// Only the first 16 KiB are read. Secrets are not masked; see taxonomy.Redact.
func Normalize(s string) string { return normal.Text(s) }

// Literals returns the parts of a text that [Normalize] keeps, in their order and without white
// space and punctuation at their ends: texts that a rule can search for. They contain nothing that
// is masked. Only the first 16 KiB are read.
func Literals(s string) []string { return normal.Literals(s) }
