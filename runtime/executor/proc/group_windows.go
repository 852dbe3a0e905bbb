package proc

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// lead makes the program lead a new console process group, so that CTRL_BREAK reaches it alone.
func lead(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// group is a job object. If the system refuses to create one, only the program itself is ended.
type group struct {
	process *os.Process
	job     windows.Handle
}

func groupOf(p *os.Process) *group {
	g := &group{process: p}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	if err := assign(job, p.Pid); err != nil {
		_ = windows.CloseHandle(job)
		return g
	}
	g.job = job
	return g
}

// assign puts a process into a job. The processes of the job end when its last handle is closed.
func assign(job windows.Handle, pid int) error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return err
	}
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(job, h)
}

func terminate(p *os.Process) {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.Pid))
}

func (g *group) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
	}
	_ = g.process.Kill()
}

// close closes the job, which ends the remaining processes.
func (g *group) close() {
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

func (g *group) waitGone(time.Duration) {}

// endGroup ends a process that an earlier process of this program started. The job has ended with
// that process.
func endGroup(ctx context.Context, id ID, _ time.Duration) error {
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(id.PID))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	if err := windows.TerminateProcess(h, 1); err != nil && Alive(id) {
		return err
	}
	if !waitFor(context.WithoutCancel(ctx), removal, func() bool { return !Alive(id) }) {
		return errSurvived
	}
	return nil
}
