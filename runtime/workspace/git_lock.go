package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// holder says who has the working tree.
type holder struct {
	Run string `json:"run"`
	PID int    `json:"pid"`
}

// Lock takes the working tree for one run, with a lock that ends with this process. Other working trees of the same
// repository are not taken.
func (g *Git) Lock(_ context.Context, run string) (func() error, error) {
	if err := os.MkdirAll(g.home, privateDir); err != nil {
		return nil, g.lockFault("", err)
	}
	lock := flock.New(filepath.Join(g.home, "lock"))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, g.lockFault("", err)
	}
	file := filepath.Join(g.home, "holder.json")
	if !ok {
		_ = lock.Close()
		return nil, g.lockFault(g.heldBy(file), nil)
	}
	self, _ := proc.Self()
	err = writePrivate(file, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(holder{Run: run, PID: self.PID})
	})
	if err != nil {
		_ = lock.Close()
		return nil, g.lockFault("", err)
	}
	return func() error {
		err := os.Remove(file)
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return errors.Join(err, lock.Close())
	}, nil
}

func (g *Git) heldBy(file string) string {
	var h holder
	b, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(b, &h) != nil {
		return "another run has the working tree"
	}
	return fmt.Sprintf("run %s has the working tree, in process %d", h.Run, h.PID)
}

func (g *Git) lockFault(text string, err error) error {
	ev := &taxonomy.Evidence{
		Source: sourceExecutor, Op: opLock, Text: text, Err: err, Attributes: map[string]string{"path": g.home},
	}
	var known *taxonomy.Evidence
	if errors.As(fault(opLock, "", nil, err), &known) && err != nil {
		ev.Errno = known.Errno
	}
	return ev
}

const (
	sourceExecutor = "executor"
	opLock         = "lock"
)
