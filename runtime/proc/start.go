package proc

import (
	"fmt"
	"os/exec"
)

// running is a program that was started.
type running struct {
	Command
	cmd    *exec.Cmd
	group  *group
	out    *output
	mark   string
	result error
}

// start starts the program. Everything that it opened is closed again when that fails.
func start(c Command) (*running, error) {
	r := &running{Command: c, cmd: exec.Command(c.Path, c.Args...), out: &output{}}
	r.cmd.Dir = c.Dir
	r.cmd.Env = append(make([]string, 0, len(c.Env)+1), c.Env...) // never nil, which would inherit
	if c.Sweep || c.Started != nil {
		r.mark = newMark()
	}
	if r.mark != "" {
		r.cmd.Env = append(r.cmd.Env, markVariable+"="+r.mark)
	}
	if err := r.out.connect(r.cmd, &r.Command); err != nil {
		r.out.closeAll()
		return nil, fmt.Errorf("open pipes: %w", err)
	}
	lead(r.cmd)
	err := r.cmd.Start()
	r.out.closeTheirs()
	if err != nil {
		r.out.closeAll()
		return nil, err
	}
	r.group = groupOf(r.cmd.Process)
	return r, nil
}
