package verify

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// isPath reports whether a program is named by a path.
func isPath(name string) bool { return strings.ContainsAny(name, `/\`) }

// file opens a file for reading.
func file(root *os.Root, name string) *missing {
	f, _, err := openRegular(root, name)
	if err != nil {
		return notHad("the file", name, err)
	}
	_ = f.Close()
	return nil
}

// directory lists a directory.
func directory(root *os.Root, name string) *missing {
	f, err := openDirectory(root, name)
	if err != nil {
		return notHad("the directory", name, err)
	}
	defer f.Close()
	if _, err = f.ReadDir(1); err != nil && !errors.Is(err, io.EOF) {
		return notHad("the directory", name, err)
	}
	return nil
}

// executable looks at a program in the tree. On Windows nothing but its name says whether a file
// may be executed.
func executable(root *os.Root, name string) *missing {
	info, err := root.Stat(name)
	if err == nil {
		err = regular(info, name)
	}
	if err != nil {
		return notHad("the program", name, err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0 {
		return notHad("the program", name, &fs.PathError{Op: opExec, Path: name, Err: notPermitted})
	}
	return nil
}

// notHad says what is wrong with something in the tree.
func notHad(what, name string, err error) *missing {
	return &missing{kind: hadType(err), text: what + " " + named(name) + " " + whyNot(err), err: err, file: name}
}

// hadType returns the type of evidence of something in the tree that cannot be had.
func hadType(err error) string {
	var kind *kindError
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &kind), isNotDir(err), isNoName(err):
		return typeNotFound
	}
	return typeDenied
}
