package proc

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Failure returns the evidence of a failed [Run]: exit code or signal, and the name of the program
// as the attribute command. If the program did not run, the type is "not_found" or "start". After
// the deadline of the context, it is "timeout". The caller adds the output. If the program exited
// with 0, Failure returns nil.
func Failure(source, op, path string, exit Exit, err error) *taxonomy.Evidence {
	if err == nil && exit.Code == 0 && exit.Signal == "" {
		return nil
	}
	ev := &taxonomy.Evidence{}
	if err != nil {
		*ev = detect.Of(err)
	}
	ev.Source, ev.Op = source, op
	ev.SetAttribute("command", filepath.Base(path))
	switch {
	case missing(err):
		ev.Type = "not_found"
	case exit.Signal != "":
		ev.Signal = exit.Signal
	case err == nil:
		ev.ExitCode = taxonomy.Some(exit.Code)
	}
	return ev
}

// missing reports whether a program could not be started because its file does not exist. It is
// false if the working directory or the interpreter does not exist.
func missing(err error) bool {
	if errors.Is(err, exec.ErrNotFound) {
		return true
	}
	var path *fs.PathError
	if !errors.As(err, &path) || path.Op != "fork/exec" || !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, err = os.Stat(path.Path)
	return errors.Is(err, fs.ErrNotExist)
}
