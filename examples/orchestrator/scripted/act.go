package scripted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxOutput is how much of the end of what a command prints is reported, in bytes.
const maxOutput = 16 << 10

// do does everything, until something fails: that is reported. An error fails the call itself.
func (p *Provider) do(ctx context.Context, req executor.Request, all []action) (failed, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	root, err := os.OpenRoot(req.Dir)
	if err != nil {
		return nil, fmt.Errorf("open the working tree: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, a := range all {
		if ctx.Err() != nil {
			return nil, p.over(ctx)
		}
		if len(a.Run) > 0 {
			failed, err = p.run(ctx, req, a.Run)
		} else {
			failed = touch(root, a)
		}
		if failed != nil || err != nil {
			return failed, err
		}
	}
	return nil, nil
}

// touch looks at a file, or changes it. Nothing outside of the tree is reached, also not by links.
func touch(root *os.Root, a action) error {
	switch {
	case a.Read != "":
		f, err := root.Open(a.Read)
		if err != nil {
			return err
		}
		_, err = f.Read(make([]byte, 1)) // a directory can be opened, but not read
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return errors.Join(err, f.Close())
	case a.List != "":
		f, err := root.Open(a.List)
		if err != nil {
			return err
		}
		_, err = f.ReadDir(0)
		return errors.Join(err, f.Close())
	case a.Write != "":
		if dir := path.Dir(a.Write); dir != "." {
			if err := root.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		return root.WriteFile(a.Write, []byte(a.Text), 0o644)
	}
	return root.Remove(a.Remove)
}

// run runs a command. One that does not end well is reported with the end of what it printed.
func (p *Provider) run(ctx context.Context, req executor.Request, args []string) (failed, err error) {
	out := proc.NewTail(maxOutput)
	cmd := proc.Command{
		Path: args[0], Args: args[1:], Dir: req.Dir, Env: proc.SafeEnv(), Stdout: out, Stderr: out, Grace: grace,
		Sweep: true,
	}
	if req.Started != nil {
		cmd.Started = func(id proc.ID) error { return req.Started(executor.Process{PID: id.PID, Start: id.Start}) }
	}
	exit, err := proc.Run(ctx, cmd)
	if ctx.Err() != nil {
		return nil, p.over(ctx)
	}
	if err == nil && exit.Code == 0 {
		return nil, nil
	}
	said := strings.TrimSpace(out.Masked(taxonomy.Redact))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", args[0], err), nil
	case exit.Signal != "":
		return fmt.Errorf("%s\n%s was ended by %s", said, args[0], exit.Signal), nil
	}
	return fmt.Errorf("%s\n%s: exit status %d", said, args[0], exit.Code), nil
}
