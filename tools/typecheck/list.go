package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// listed is a package as `go list` tells of it. That of a test is one of its own, as "a [a.test]".
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	ImportMap  map[string]string
	Module     *struct {
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

// isOwn reports whether the package is of the module that was asked for.
func (l *listed) isOwn() bool { return l.Module != nil && l.Module.Main }

// isTestMain reports whether it is a program that go makes to run tests.
func (l *listed) isTestMain() bool { return strings.HasSuffix(l.ImportPath, ".test") }

// list returns the packages of a module, and all that they import, each behind what it imports.
func list(dir, system string) ([]*listed, error) {
	cmd := exec.Command("go", "list", "-deps", "-test", "-e",
		"-json=ImportPath,Dir,GoFiles,Imports,ImportMap,Module,Error", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	all, err := read(out)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, said.String())
	}
	return all, nil
}

func read(r io.Reader) (all []*listed, err error) {
	for in := json.NewDecoder(r); ; {
		l := &listed{}
		if err := in.Decode(l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
}
