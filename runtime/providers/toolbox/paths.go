package toolbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// errOutside reports that a path leads out of the directory.
var errOutside = errors.New("outside of the working tree")

// resolve returns the path of a name from the model, relative to the root, with slashes, and
// without symbolic links. The file need not exist. If the path is not under the root, or leads to a
// link whose target does not exist, the error is errOutside.
//
// The [os.Root] also refuses such paths. Names are resolved here, because the scope is checked
// before a file is accessed, and a link within the tree can lead to a file outside of the scope.
func (t *Toolbox) resolve(name string) (string, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(t.dir, name)
	}
	rest := ""
	for dir := filepath.Clean(name); ; dir = filepath.Dir(dir) {
		target, err := filepath.EvalSymlinks(dir)
		if _, missing := os.Lstat(dir); err != nil && errors.Is(missing, fs.ErrNotExist) {
			rest = filepath.Join(filepath.Base(dir), rest)
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		rel, outside := filepath.Rel(t.dir, filepath.Join(target, rest))
		if err != nil || outside != nil || !filepath.IsLocal(rel) {
			return "", errOutside
		}
		return filepath.ToSlash(rel), nil
	}
}

// isGit reports whether a path has a part named .git, or a name that some file system resolves to
// .git: in other case, as a short name, or with characters that are ignored.
func isGit(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		part = strings.TrimRight(strings.ToLower(part), ". ")
		part, _, _ = strings.Cut(part, ":") // a stream of the file, on NTFS
		part = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) { // HFS+ ignores these
				return -1
			}
			return r
		}, part)
		if part == ".git" || part == "git~1" {
			return true
		}
	}
	return false
}

// errForbidden reports that the guard forbids a file.
var errForbidden = errors.New("the task's scope forbids it")

// checkRead returns an error if the content of a file must not be read. Files outside of the
// allowed paths can be read, and forbidden ones cannot.
func (t *Toolbox) checkRead(ctx context.Context, name string) error {
	if isGit(name) {
		return errGit
	}
	verdict, err := t.judge(ctx, name)
	if err == nil && verdict == executor.Forbidden {
		err = errForbidden
	}
	return err
}

// checkWrite returns an error if a file must not be changed.
func (t *Toolbox) checkWrite(ctx context.Context, name string) error {
	verdict, err := t.judge(ctx, name)
	kind := "forbidden"
	switch {
	case err != nil:
		return err
	case verdict == executor.Allowed, verdict == executor.NeedsAsk:
		return nil
	case verdict == executor.Outside:
		kind = "outside_allowed"
	}
	return &taxonomy.Evidence{
		Source: "scope", Op: "scope", Type: kind, Files: []string{name},
		Attributes: map[string]string{"scope_mode": t.options.Guard.Mode()},
		Text:       fmt.Sprintf("a tool was asked to change %s", text.Name(name)),
	}
}

// judge returns the guard's verdict on a change of a file. If the guard returns none, the change is
// forbidden.
func (t *Toolbox) judge(ctx context.Context, name string) (executor.Verdict, error) {
	if t.options.Guard == nil {
		return executor.Allowed, nil
	}
	verdicts, err := t.options.Guard.Judge(ctx, []executor.Change{{Path: name, Kind: executor.Modified}})
	if err != nil || len(verdicts) != 1 || verdicts[0] == 0 {
		return executor.Forbidden, err
	}
	return verdicts[0], nil
}

// regular returns an error unless the file is a regular one.
func regular(name string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return &fs.PathError{Op: "open", Path: name, Err: errors.New("is a directory")}
	}
	return &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
}

// escapes reports whether err means that a path leads out of the directory. It is the error of
// resolve, or of [os.Root], which has no error value for it.
func escapes(err error) bool {
	p, is := errors.AsType[*fs.PathError](err)
	return errors.Is(err, errOutside) || is && p.Err != nil && p.Err.Error() == "path escapes from parent"
}
