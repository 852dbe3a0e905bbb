package detect

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// ErrRecordFull is returned if evidence was not written because the record has reached its size.
var ErrRecordFull = errors.New("record is full")

// RecordOptions bound a record. Zero values are the defaults.
type RecordOptions struct {
	// MaxBytes is the greatest size of the file. The default is 1 MiB.
	MaxBytes int64
	// MaxEntry is the greatest size of an entry, to which texts are cut. The default is 4 KiB, the
	// least 512 bytes.
	MaxEntry int
	// MaxRepeats is how often the record writes evidence with the same facts and the same
	// [Normalize]d text. Further evidence of that kind is ignored. The default is 20.
	MaxRepeats int
	// Now is the clock. The default is time.Now.
	Now func() time.Time
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
	o.MaxEntry = max(cmp.Or(o.MaxEntry, 4<<10), minEntry)
	o.MaxRepeats = cmp.Or(o.MaxRepeats, 20)
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Record{options: o, file: f, repeats: make(map[string]int)}, nil
}

// Record appends evidence, shortened to fit. It returns [ErrRecordFull] if the record has no room
// for it. Nil, and evidence that was recorded [RecordOptions.MaxRepeats] times, are ignored.
func (r *Record) Record(ev *taxonomy.Evidence) error {
	if ev == nil {
		return nil
	}
	key := recordKind(ev)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.repeats[key] >= r.options.MaxRepeats {
		return nil
	}
	line, err := entryLine(ev, r.options)
	if err == nil {
		err = r.append(line)
	}
	if err != nil {
		return fmt.Errorf("record evidence: %w", err)
	}
	r.repeats[key]++
	return nil
}

// append writes a line at the end of the file. A line before it that a crash cut short is ended
// first; where another process is about to write the rest of it, that leaves an empty line.
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

// recordKind returns a text that is the same for evidence with the same facts and the same
// normalised text.
func recordKind(ev *taxonomy.Evidence) string {
	exit, exited := ev.ExitCode.Get()
	return fmt.Sprintf("%#v", []any{ev.Source, ev.Op, ev.Type, ev.Status, ev.Code, exit, exited, ev.Signal, ev.Errno,
		Normalize(textOrError(ev))})
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
