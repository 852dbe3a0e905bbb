package detect

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// ErrRecordFull says that a record has reached its size: the evidence was not written.
var ErrRecordFull = errors.New("record is full")

// RecordOptions bound a record. Zero values are the defaults, values below zero too.
type RecordOptions struct {
	// MaxBytes is the size in bytes that the file does not grow beyond: 1 MiB unless said.
	MaxBytes int64
	// MaxEntry is how many bytes an entry takes at most: 4 KiB unless said, and never below 512.
	// Texts are cut to fit.
	MaxEntry int
	// MaxRepeats is how often evidence with the same facts and the same [Normalize]d text is
	// written by this record: 20 times unless said. What comes after that is passed over.
	MaxRepeats int
	// Now is the clock: time.Now unless said.
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

// Record is a file of evidence that no rule matched, one [Entry] a line, from which "errgen
// suggest" proposes rules. Entries are only ever appended, each in one write, so that several
// goroutines and processes may share a file; processes that write at the same moment may pass its
// bound by an entry each. Secrets are masked, and neither what failed work printed nor credentials
// are kept.
type Record struct {
	options RecordOptions

	mu      sync.Mutex
	file    *os.File
	repeats map[uint64]int // by facts and normalised text
}

var _ Recorder = (*Record)(nil)

// OpenRecord opens the record at path, and makes it, readable by its owner only, if it does not
// exist; its directory must exist. It refuses anything but a regular file: a directory, a symbolic
// link, a pipe. The record is to be closed.
func OpenRecord(path string, o RecordOptions) (*Record, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, fmt.Errorf("open record: %w", err)
	}
	return &Record{options: o.withDefaults(), file: f, repeats: make(map[uint64]int)}, nil
}

// Record appends evidence, shortened to fit. It returns [ErrRecordFull] when there is no room for
// it, and otherwise what became of the write. Evidence that was recorded often enough is passed
// over; so is nil.
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

// Close closes the file. What is recorded afterwards is an error.
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
