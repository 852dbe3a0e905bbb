package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
)

// lookUp returns the path of a program, so that a later change of PATH or of the working directory
// changes nothing.
func lookUp(name string) (string, error) {
	p, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(p)
}

// locate finds out where git's directories are, and refuses what cannot be worked with.
func (g *Git) locate(ctx context.Context, dir string) error {
	refuse := func(text string) error { return fault(opPrepare, text, []string{dir}, nil) }
	if strings.ContainsAny(dir, "\n\r") {
		return refuse("the path of the working tree has a line break")
	}
	out, err := g.git(
		ctx, call{op: opPrepare, at: dir, files: []string{dir}, args: []string{"rev-parse", "--path-format=absolute",
			"--is-bare-repository", "--is-inside-work-tree", "--git-dir", "--git-common-dir", "--show-object-format"}})
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	if len(lines) != 5 {
		return refuse("git did not say where its directory is")
	}
	if lines[0] == "true" || lines[1] != "true" {
		return refuse("there is no working tree: the repository is bare, or the directory is git's own")
	}
	out, err = g.git(
		ctx, call{op: opPrepare, at: dir, files: []string{dir},
			args: []string{"rev-parse", "--path-format=absolute", "--show-toplevel"}})
	if err != nil {
		return err
	}
	g.algo = lines[4]
	g.dir, g.common = filepath.FromSlash(lines[2]), filepath.FromSlash(lines[3])
	g.root = filepath.FromSlash(strings.TrimRight(string(out), "\n"))
	g.home = filepath.Join(g.dir, "errgen")
	return g.supported(refuse)
}

// supported refuses repositories whose parts are kept in ways that are not read here.
func (g *Git) supported(refuse func(string) error) error {
	if g.algo != "sha1" && g.algo != "sha256" {
		return refuse("unknown object format " + text.Quote(g.algo, maxQuoted))
	}
	if _, err := os.Lstat(filepath.Join(g.common, "reftable")); err == nil {
		return refuse("references in reftable format are not supported")
	}
	info, err := os.Lstat(g.home)
	if err == nil && !info.IsDir() {
		return refuse("errgen's directory in git's directory is not a directory")
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fault(opPrepare, "", []string{g.home}, err)
	}
	return nil
}

// underway are the files that are there while git is in the middle of something.
var underway = []struct{ file, what string }{
	{"MERGE_HEAD", "a merge"},
	{"CHERRY_PICK_HEAD", "a cherry-pick"},
	{"REVERT_HEAD", "a revert"},
	{"rebase-merge", "a rebase"},
	{"rebase-apply", "a rebase"},
	{"sequencer", "a sequence of picks"},
	{"BISECT_LOG", "a bisection"},
}

// atRest refuses a working tree in which git is in the middle of something.
func (g *Git) atRest() error {
	for _, u := range underway {
		if _, err := os.Lstat(filepath.Join(g.dir, u.file)); err == nil {
			return fault(opPrepare, fmt.Sprintf("%s is under way: finish or abort it first", u.what), nil, nil)
		}
	}
	return nil
}
