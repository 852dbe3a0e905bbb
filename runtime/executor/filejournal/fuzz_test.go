package filejournal

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/executor"
)

// Whatever stands in a file, what is read of it is the beginning of what was written, byte by byte.
func FuzzRead(f *testing.F) {
	file := headerLine("r")
	for n := range 3 {
		raw, err := json.Marshal(executor.Entry{Point: executor.PointStarted, Iteration: n})
		assert.NoError(f, err)
		file = append(file, frame(n+1, raw)...)
	}
	f.Add(file)
	f.Add(file[:len(file)-9])
	f.Add(append(bytes.Clone(file), 0, 0, 0))
	f.Add(bytes.Replace(file, []byte(`"crc":"`), []byte(`"crc":"0`), 1))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := read(bytes.NewReader(b), "r")
		if err != nil {
			assert.Empty(t, c.entries)
			return
		}
		lines := bytes.SplitAfter(b[:c.size], newline)
		assert.Len(t, c.entries, len(lines)-2, "a line for each entry, the first line, and nothing after the last")
		for i, line := range lines[1 : len(lines)-1] {
			seq, raw, ok := unframe(line[:len(line)-1])
			assert.True(t, ok)
			assert.Equal(t, frame(i+1, raw), line)
			assert.Equal(t, i+1, seq)
		}
	})
}
