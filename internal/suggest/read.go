package suggest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/errgen/errgen/runtime/detect"
)

// maxLine limits a line of a record. The lines that detect.Record writes are far shorter.
const maxLine = 1 << 20

// Fault is a line of a record that is not an entry.
type Fault struct {
	Line int // 1-based
	Err  error
}

// Read passes the entries of a record to add, and returns the lines that are not entries. A line
// may also contain evidence without the entry around it. The error is one of reading.
func Read(r io.Reader, add func(detect.Entry)) ([]Fault, error) {
	var faults []Fault
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		entry, err := decode(line)
		if err != nil {
			faults = append(faults, Fault{n, err})
			continue
		}
		add(entry)
	}
	return faults, lines.Err()
}

func decode(line []byte) (detect.Entry, error) {
	var e detect.Entry
	var keys struct {
		Evidence json.RawMessage `json:"evidence"`
	}
	if line[0] != '{' {
		return e, errors.New("the line is not a JSON object")
	}
	if err := json.Unmarshal(line, &keys); err != nil {
		return e, err
	}
	if len(keys.Evidence) > 0 {
		return e, json.Unmarshal(line, &e)
	}
	return e, json.Unmarshal(line, &e.Evidence)
}
