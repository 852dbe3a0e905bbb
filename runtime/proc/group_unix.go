//go:build unix

package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// lead makes the program lead a group of its own.
func lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// group is a process group. The number of a group is not used again while anybody is in it, and one
// that was just freed only when all others were: it is safe to signal a group shortly after its
// leader was waited for.
type group struct{ id int }

func groupOf(p *os.Process) *group { return &group{id: p.Pid} }

func terminate(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

func (g *group) kill()  { _ = syscall.Kill(-g.id, syscall.SIGKILL) }
func (g *group) close() {}

// gone reports whether all processes of the group have ended.
func (g *group) gone() bool {
	return errors.Is(syscall.Kill(-g.id, 0), syscall.ESRCH) || onlyDead(g.id)
}

func (g *group) waitGone(limit time.Duration) { waitFor(context.Background(), limit, g.gone) }

// errSurvived says that a group is there although it was killed.
var errSurvived = errors.New("the process exists after it was killed")

// endGroup ends the group that a process leads. Their parents must wait for its members.
func endGroup(ctx context.Context, id ID, grace time.Duration) error {
	g := &group{id: id.PID}
	if pgid, err := syscall.Getpgid(id.PID); err != nil || pgid != id.PID {
		return endOne(ctx, id, grace)
	}
	_ = syscall.Kill(-g.id, syscall.SIGTERM)
	if waitFor(ctx, grace, g.gone) {
		return nil
	}
	g.kill()
	if !waitFor(context.WithoutCancel(ctx), lastBreath, g.gone) {
		return errSurvived
	}
	return nil
}

// endOne ends a process that leads no group.
func endOne(ctx context.Context, id ID, grace time.Duration) error {
	gone := func() bool { return !Alive(id) }
	_ = syscall.Kill(id.PID, syscall.SIGTERM)
	if waitFor(ctx, grace, gone) {
		return nil
	}
	_ = syscall.Kill(id.PID, syscall.SIGKILL)
	if !waitFor(context.WithoutCancel(ctx), lastBreath, gone) {
		return errSurvived
	}
	return nil
}
