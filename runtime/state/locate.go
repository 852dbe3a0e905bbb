package state

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// DefaultPath is where a runner of specifications keeps its state.
const DefaultPath = "spec/.executor-state.db"

// PrefixedPath is [DefaultPath] for one of several states in a directory:
// "spec/.executor-PREFIXstate.db".
func PrefixedPath(prefix string) string { return "spec/.executor-" + prefix + "state.db" }

// LegacyPath returns where a runner of this kind has kept the older form of the state at path: the
// same path with ".json" in place of ".db". It is empty for a file that is not called like
// [DefaultPath] or [PrefixedPath]; what stands beside that is somebody else's.
func LegacyPath(path string) string {
	name := filepath.Base(path)
	if !strings.HasPrefix(name, ".executor-") || !strings.HasSuffix(name, "state.db") {
		return ""
	}
	return strings.TrimSuffix(path, ".db") + ".json"
}

// locksSuffix ends the name of the directory of locks.
const locksSuffix = ".locks"

// beside are the endings of the files that SQLite keeps beside a database.
var beside = [...]string{"-wal", "-shm", "-journal"}

var (
	errNotRegular = errors.New("is not a regular file")
	errDangling   = errors.New("is a symbolic link to nothing")
	errRestless   = errors.New("comes and goes while it is looked for")
	errLinked     = errors.New("has a second name, a hard link, so that it could have two write-ahead logs")
)

// locate returns the one path of the file that path leads to, whether or not the file is there. Two
// names of one file would have two write-ahead logs. What is neither missing nor a regular file is
// refused.
func locate(path string) (string, error) { return locateBy(path, filepath.EvalSymlinks) }

// looks is how often a file is looked for that is there and is not by turns.
const looks = 10

// locateBy is [locate] with a function that follows symbolic links.
func locateBy(path string, follow func(string) (string, error)) (string, error) {
	for range looks {
		to, err := follow(path)
		switch {
		case err == nil:
			return to, regular(to)
		case !errors.Is(err, fs.ErrNotExist):
			return path, err
		}
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			dir, err := follow(filepath.Dir(path))
			if err != nil {
				return path, err
			}
			return filepath.Join(dir, filepath.Base(path)), nil
		case info.Mode()&fs.ModeSymlink != 0:
			return path, &fs.PathError{Op: "open", Path: path, Err: errDangling}
		}
		// It has come into being between the two looks.
	}
	return path, &fs.PathError{Op: "open", Path: path, Err: errRestless}
}

// regular refuses a database, and what SQLite would write beside it, that is anything but a regular
// file of one name.
func regular(path string) error {
	for _, suffix := range append([]string{""}, beside[:]...) {
		info, err := os.Lstat(path + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return &fs.PathError{Op: "open", Path: path + suffix, Err: fmt.Errorf("%w: %s", errNotRegular, info.Mode())}
		case linked(info):
			return &fs.PathError{Op: "open", Path: path + suffix, Err: errLinked}
		}
	}
	return nil
}

// missing reports whether there is no database at path, or an empty file.
func missing(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return err == nil && info.Size() == 0, err
}

// dsn names the database for the driver; a database that is not there is not made. What SQLite
// would read as a parameter in the path is escaped.
func dsn(path, mode string, pragmas ...string) string {
	q := url.Values{"mode": {mode}, "_error_rc": {"1"}, "_dqs": {"0"}, "_defensive": {"1"}}
	if mode == immutable {
		q.Set("mode", readOnly)
		q.Set(immutable, "1")
	}
	for _, p := range append([]string{"trusted_schema(0)"}, pragmas...) {
		q.Add("_pragma", p)
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/state.db
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// The modes of [dsn]. An immutable file is read without locks.
const (
	readWrite = "rw"
	readOnly  = "ro"
	immutable = "immutable"
)
