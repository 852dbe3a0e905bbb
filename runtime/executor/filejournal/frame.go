package filejournal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
)

// version is that of the files' form.
const version = 1

// header is the first line of a file. Its form stays, whatever later versions do with the other
// lines.
type header struct {
	Version int    `json:"errgen_journal"`
	Run     string `json:"run"`
}

// headerLine returns the first line of the journal of a run, whose name needs no escape.
func headerLine(run string) []byte {
	return fmt.Appendf(nil, "{\"errgen_journal\":%d,\"run\":%q}\n", version, run)
}

// checkHeader returns why line, without its end, is not the first line of the run's journal.
func checkHeader(line []byte, run string) error {
	var h header
	if err := json.Unmarshal(line, &h); err != nil || h.Version < 1 {
		return errors.New("it does not begin as a journal does")
	}
	if h.Version > version {
		return fmt.Errorf("it has version %d, and only versions up to %d are known here: a newer release wrote it",
			h.Version, version)
	}
	if h.Run != run {
		return fmt.Errorf("it is the journal of run %q", h.Run)
	}
	if !bytes.Equal(line, bytes.TrimSuffix(headerLine(run), newline)) {
		return errors.New("its first line was changed")
	}
	return nil
}

var newline = []byte("\n")

// castagnoli is computed on use: crc32 keeps the table.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// frame returns the line of an entry, whose JSON is raw. Entries count from 1.
func frame(seq int, raw []byte) []byte {
	line := fmt.Appendf(make([]byte, 0, len(raw)+64), `{"seq":%d,"len":%d,"crc":"%08x","entry":`, seq, len(raw),
		checksum(raw))
	line = append(line, raw...)
	return append(line, '}', '\n')
}

// framed is the line of an entry.
type framed struct {
	Seq   int             `json:"seq"`
	Entry json.RawMessage `json:"entry"`
}

// unframe returns the number and the JSON of the entry in line, without its end, and false for
// anything but such a line, byte by byte.
func unframe(line []byte) (seq int, raw json.RawMessage, ok bool) {
	var f framed
	if json.Unmarshal(line, &f) != nil || len(f.Entry) == 0 {
		return 0, nil, false
	}
	want := frame(f.Seq, f.Entry)
	return f.Seq, f.Entry, bytes.Equal(line, want[:len(want)-1])
}
