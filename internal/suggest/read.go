package suggest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/errgen/errgen/runtime/detect"
)

// maxLine bounds a line of a record, in bytes. Records keep theirs far below it.
const maxLine = 1 << 20

var (
	errLongLine = errors.New("the line is longer than 1 MiB")
	errNoObject = errors.New("the line is no JSON object")
)

// Fault is a line of a record that is no entry.
type Fault struct {
	Line int // 1-based
	Err  error
}

// Read hands the entries of a record to add, and returns the lines that are none. A line may also
// hold evidence alone, without the entry around it. The error is one of reading.
func Read(r io.Reader, add func(detect.Entry)) ([]Fault, error) {
	var faults []Fault
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errLongLine) {
			return faults, err
		}
		if errors.Is(err, errLongLine) {
			faults = append(faults, Fault{n, err})
			continue
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if entry, bad := decode(line); bad != nil {
				faults = append(faults, Fault{n, bad})
			} else {
				add(entry)
			}
		}
		if err != nil {
			return faults, nil
		}
	}
}

// readLine returns the next line. Of one that is too long nothing is kept.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, skipLine(in, err)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// skipLine reads up to the end of the line; err is what the last read of it returned.
func skipLine(in *bufio.Reader, err error) error {
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = in.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return errLongLine
}

func decode(line []byte) (detect.Entry, error) {
	var keys struct {
		Evidence json.RawMessage `json:"evidence"`
	}
	if line[0] != '{' {
		return detect.Entry{}, errNoObject
	}
	if err := json.Unmarshal(line, &keys); err != nil {
		return detect.Entry{}, err
	}
	var e detect.Entry
	if len(keys.Evidence) > 0 {
		return e, json.Unmarshal(line, &e)
	}
	return e, json.Unmarshal(line, &e.Evidence)
}
