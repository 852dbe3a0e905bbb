package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/errgen/errgen/runtime/executor/terminal"
)

// prefix begins each line of what is said to be wrong.
const prefix = "orchestrator: "

// said keeps what is said to be wrong, for an answer in JSON.
type said struct {
	io.Writer
	text bytes.Buffer
}

// Write writes b, and keeps it.
func (s *said) Write(b []byte) (int, error) {
	s.text.Write(b)
	return s.Writer.Write(b)
}

// encode returns what came of a run that has no result: what is wrong, as it was said, and the exit
// code.
func (s *said) encode(code int) []byte {
	var lines []string
	for line := range strings.Lines(s.text.String()) {
		lines = append(lines, strings.TrimPrefix(strings.TrimRight(line, "\n"), prefix))
	}
	text := strings.Join(lines, "\n")
	if text == "" && code == exitCancelled {
		text = "it was cancelled"
	}
	b, err := json.MarshalIndent(struct {
		Error    string `json:"error"`
		ExitCode int    `json:"exitCode"`
	}{text, code}, "", "  ")
	if err != nil {
		return nil // two plain values always have JSON
	}
	return append(terminal.PrintableJSON(b), '\n')
}
