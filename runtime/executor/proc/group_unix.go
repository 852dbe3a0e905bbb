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

// lead makes the program lead a new group.
func lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// group is a process group. The system does not reuse the number of a group that has members, and
// it reuses a free number last. So a group can be signalled shortly after its leader was waited
// for.
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

// endGroup ends the group that a process leads. If the process leads no group, it ends the process
// alone.
func endGroup(ctx context.Context, id ID, grace time.Duration) error {
	target, gone := -id.PID, (&group{id: id.PID}).gone
	if pgid, err := syscall.Getpgid(id.PID); err != nil || pgid != id.PID {
		target, gone = id.PID, func() bool { return !Alive(id) }
	}
	_ = syscall.Kill(target, syscall.SIGTERM)
	if waitFor(ctx, grace, gone) {
		return nil
	}
	_ = syscall.Kill(target, syscall.SIGKILL)
	if !waitFor(context.WithoutCancel(ctx), removal, gone) {
		return errSurvived
	}
	return nil
}
