package filejournal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/errgen/errgen/runtime/executor"
)

// Bounds on journals, in bytes and entries.
const (
	maxLine    = 8 << 20
	maxFile    = 256 << 20
	maxEntries = 100_000
)

// damage is what makes a journal unreadable.
type damage struct {
	line int // from 1
	err  error
}

func (d *damage) Error() string { return fmt.Sprintf("line %d: %s", d.line, d.err) }

// contents are what is in a journal.
type contents struct {
	entries []executor.Entry
	// size is where the last whole entry ends; what is behind it is the beginning of one that was
	// never whole.
	size int64
}

// read reads the journal of a run. What a crash left of the last entry is passed over; any other
// fault is a *damage, or the error of r.
func read(r io.Reader, run string) (contents, error) {
	var c contents
	lines := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, whole, err := nextLine(lines)
		if err != nil {
			return contents{}, err
		}
		if len(line) == 0 && !whole {
			return c, atLeastHeader(n)
		}
		err = c.take(n, line, whole, run)
		if err == nil {
			c.size += int64(len(line)) + 1
			continue
		}
		torn, readErr := isTorn(lines, n, line, whole)
		if readErr != nil {
			return contents{}, readErr
		}
		if torn {
			return c, nil
		}
		return contents{}, &damage{line: n, err: err}
	}
}

// atLeastHeader returns an error for a file without any line: files are made with two.
func atLeastHeader(lines int) error {
	if lines == 1 {
		return &damage{line: 1, err: errors.New("it is empty")}
	}
	return nil
}

// isTorn reports whether line, the nth, is what a crash left of an entry: there is no end to it, or
// parts of it never reached the disk, and nothing is behind it. A file is made with its first line
// at once.
func isTorn(lines *bufio.Reader, n int, line []byte, whole bool) (bool, error) {
	if n == 1 || whole && bytes.IndexByte(line, 0) < 0 {
		return false, nil
	}
	switch _, err := lines.Peek(1); {
	case err == nil:
		return false, nil
	case errors.Is(err, io.EOF):
		return true, nil
	default:
		return false, err
	}
}

// take adds what the nth line says.
func (c *contents) take(n int, line []byte, whole bool, run string) error {
	if !whole {
		return errors.New("it has no end")
	}
	if n == 1 {
		return checkHeader(line, run)
	}
	seq, raw, ok := unframe(line)
	if !ok {
		return errors.New("it is not what was written: length or checksum differ")
	}
	if seq != n-1 {
		return fmt.Errorf("entry %d stands where entry %d should", seq, n-1)
	}
	if n > maxEntries {
		return fmt.Errorf("there are more than %d entries", maxEntries)
	}
	if c.size+int64(len(line)) > maxFile {
		return fmt.Errorf("it has more than %d bytes", maxFile)
	}
	var e executor.Entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("read entry: %w", err)
	}
	c.entries = append(c.entries, e)
	return nil
}

// nextLine returns the next line without its end, and whether it has one. A line that is too long
// has none.
func nextLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil && len(line) <= maxLine:
			return line[:len(line)-1], true, nil
		case len(line) > maxLine:
			return line[:maxLine], false, nil
		case errors.Is(err, io.EOF):
			return line, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}
