//go:build !unix && !windows

package proc

import (
	"context"
	"os"
	"os/exec"
	"time"
)

func lead(*exec.Cmd) {}

// group is one process: this system has no groups.
type group struct{ process *os.Process }

func groupOf(p *os.Process) *group { return &group{process: p} }

func terminate(p *os.Process) { _ = p.Signal(os.Interrupt) }

func (g *group) kill()                  { _ = g.process.Kill() }
func (g *group) close()                 {}
func (g *group) waitGone(time.Duration) {}

func endGroup(_ context.Context, id ID, _ time.Duration) error {
	p, err := os.FindProcess(id.PID)
	if err != nil {
		return err
	}
	return p.Kill()
}
