package proc

import (
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// output is the pipes between a program and this process. The pipes are this package's own, so that
// a process which keeps one open cannot keep anybody waiting.
type output struct {
	theirs []*os.File // ends that the program has
	ours   []*os.File // ends that are read or written here
	copies []func()
	done   chan struct{}
}

// connect gives cmd its three streams.
func (o *output) connect(cmd *exec.Cmd, c *Command) error {
	if err := o.stdin(cmd, c.Stdin); err != nil {
		return err
	}
	out, err := o.writer(c.Stdout)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = out, out
	if same(c.Stdout, c.Stderr) {
		return nil
	}
	cmd.Stderr, err = o.writer(c.Stderr)
	return err
}

// stdin connects r. A file is handed over as it is.
func (o *output) stdin(cmd *exec.Cmd, r io.Reader) error {
	if file, ok := r.(*os.File); ok || r == nil {
		if ok {
			cmd.Stdin = file
		}
		return nil
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	o.theirs, o.ours = append(o.theirs, theirs), append(o.ours, ours)
	cmd.Stdin = theirs
	o.copies = append(o.copies, func() {
		// A program that does not read all of its input is no failure.
		_, _ = io.Copy(ours, r)
		_ = ours.Close()
	})
	return nil
}

// writer returns what the program writes to so that w gets it; nil for no w.
func (o *output) writer(w io.Writer) (io.Writer, error) {
	if w == nil {
		return nil, nil
	}
	if file, ok := w.(*os.File); ok {
		return file, nil
	}
	ours, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	o.theirs, o.ours = append(o.theirs, theirs), append(o.ours, ours)
	o.copies = append(o.copies, func() {
		if _, err := io.Copy(w, ours); err != nil {
			_, _ = io.Copy(io.Discard, ours) // or the program would be stuck
		}
		_ = ours.Close()
	})
	return theirs, nil
}

// same reports whether both are one writer. Writers of a type that cannot be compared are not.
func same(a, b io.Writer) (equal bool) {
	defer func() {
		if recover() != nil {
			equal = false
		}
	}()
	return a != nil && a == b
}

// begin starts passing on.
func (o *output) begin() {
	o.done = make(chan struct{})
	var wg sync.WaitGroup
	for _, pass := range o.copies {
		wg.Go(pass)
	}
	go func() {
		wg.Wait()
		close(o.done)
	}()
}

// wait waits for the end of all streams, for limit at most or until ctx ends, and reports whether
// they have ended.
func (o *output) wait(ctx context.Context, limit time.Duration) bool {
	select {
	case <-o.done:
		return true
	default:
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-o.done:
		return true
	case <-ctx.Done():
		return false
	case <-timer.C:
		return false
	}
}

// abandon closes the pipes that a foreign process keeps open, and waits until nobody reads them
// here.
func (o *output) abandon() {
	closeFiles(o.ours)
	// A Stdin that blocks is the only thing that can be waited for in vain.
	o.wait(context.Background(), lastOutput)
}

func (o *output) closeTheirs() {
	closeFiles(o.theirs)
	o.theirs = nil
}

func (o *output) closeAll() {
	o.closeTheirs()
	closeFiles(o.ours)
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
