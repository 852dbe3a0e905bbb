package detect

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// ErrRecordFull is returned if evidence was not written because the record has reached its size.
var ErrRecordFull = errors.New("record is full")

// RecordOptions bound a record. Values of zero and below are the defaults.
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

func (o RecordOptions) withDefaults() RecordOptions {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 1 << 20
	}
	if o.MaxEntry <= 0 {
		o.MaxEntry = 4 << 10
	}
	o.MaxEntry = max(o.MaxEntry, minEntry)
	if o.MaxRepeats <= 0 {
		o.MaxRepeats = 20
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Record is a file of evidence that no rule matched, one [Entry] a line. "errgen suggest" proposes
// rules from it. Entries are appended, each in one write, so that several goroutines and processes
// can share a file; processes that write simultaneously may exceed its bound by an entry each.
// Secrets are masked. The output of failed work and credentials are not recorded.
type Record struct {
	options RecordOptions

	mu      sync.Mutex
	file    *os.File
	repeats map[uint64]int // by facts and normalised text
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
	return &Record{options: o.withDefaults(), file: f, repeats: make(map[uint64]int)}, nil
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
	if err != nil {
		return fmt.Errorf("record evidence: %w", err)
	}
	if err := r.append(line); err != nil {
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

// recordKind returns a number that is the same for evidence with the same facts and the same
// normalised text.
func recordKind(ev *taxonomy.Evidence) uint64 {
	h := fnv.New64a()
	exit := ""
	if code, ok := ev.ExitCode.Get(); ok {
		exit = strconv.Itoa(code)
	}
	facts := []string{
		ev.Source, ev.Op, ev.Type, strconv.Itoa(ev.Status), ev.Code, exit, ev.Signal, ev.Errno, Normalize(saidBy(ev)),
	}
	for _, fact := range facts {
		_, _ = io.WriteString(h, fact) // a hash takes everything
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
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
