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

// Failure converts the result of [Run] to evidence. It returns nil when the program exited with 0:
// exit code or signal, type "not_found" for a program that is not there, "start" for one that could
// not be started, "timeout" when its time was over. Output and stderr are left to the caller;
// attribute command is the program's name.
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

// missing reports whether a program could not be started because its file does not exist. For a
// missing working directory or interpreter it returns false.
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
