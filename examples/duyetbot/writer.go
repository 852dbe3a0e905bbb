package main

import (
	"io"
	"sync"
)

// checked is a writer that keeps the first error.
type checked struct {
	io.Writer
	mu  sync.Mutex
	err error
}

// Write writes b.
func (c *checked) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
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
