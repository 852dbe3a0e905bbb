package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

var errNotRegular = errors.New("is not a regular file")

// readFile returns the content of a file. It does not wait for the other end of a pipe.
func readFile(path string, limit int) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	if err == nil && info.IsDir() {
		err = &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, unreadable(path, err)
	}
	if len(text) > limit {
		return nil, tooLong(path, limit)
	}
	return text, nil
}

// unreadable says why a file cannot be read.
func unreadable(path string, err error) error {
	ev := evidence(path, "", fmt.Errorf("read configuration: %w", err))
	if errors.Is(err, fs.ErrNotExist) {
		ev.Type = typeMissing
	}
	return &fault{ev: ev}
}

func tooLong(path string, limit int) error {
	ev := evidence(path, typeInvalid, nil)
	ev.Attributes["expected"] = "a file of at most " + strconv.Itoa(limit) + " bytes"
	return &fault{ev: ev}
}
