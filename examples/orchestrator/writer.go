package main

import (
	"fmt"
	"io"
	"sync"

	"github.com/errgen/errgen/runtime/executor/terminal"
)

// checked is a writer that keeps the first error, so that nobody has to look after each line. It is
// safe for concurrent use.
type checked struct {
	io.Writer
	mu    sync.Mutex
	began bool
	err   error
}

// Write writes b.
func (c *checked) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.began = true
	n, err := c.Writer.Write(b)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// failed returns the first error.
func (c *checked) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// written reports that something was written, or should have been.
func (c *checked) written() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.began
}

// say writes a line. Texts of others in it command no terminal, and begin no other line.
func say(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, terminal.Printable(fmt.Sprintf(format, args...)))
}
