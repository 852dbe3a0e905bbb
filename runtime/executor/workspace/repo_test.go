package workspace_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// watchedFiles watches the files that [watched] reports.
type watchedFiles struct{}

func (watchedFiles) Watches(path string) bool { return watched(path) }
func (watchedFiles) WatchesBelow(string) bool { return true }

func watched(path string) bool {
	return filepath.Base(path) == ".env" || strings.HasPrefix(path, "node_modules/")
}

// repo is a repository in which a person is at work: dirty.txt is changed, staged.txt is staged and
// changed, mine.txt is untracked, and .env is ignored.
type repo struct {
	t   testing.TB
	dir string
}

const repoScript = `git init -q .; mkdir dir src; echo a > a.txt; echo b > dir/b.txt; echo s > src/s.txt
printf '#!/bin/sh\n' > run.sh; chmod 755 run.sh; echo d > dirty.txt; printf '.env\nnode_modules/\n*.log\n' > .gitignore
git add -A; git commit -qm first; echo changed >> dirty.txt; echo staged > staged.txt; git add staged.txt
echo changed >> staged.txt; echo mine > mine.txt; echo PASSWORD=secret > .env; chmod 600 .env; echo old > old.log`

func newRepo(t testing.TB, before string) *repo {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := &repo{t, filepath.Join(base, "repo")}
	require.NoError(t, os.Mkdir(r.dir, 0o755))
	r.sh(repoScript + "\n" + before)
	return r
}

// sh runs a script in the repository.
func (r *repo) sh(script string) string {
	r.t.Helper()
	out, err := shell(r.dir, script)
	require.NoError(r.t, err, "%s\n%s", script, out)
	return strings.TrimRight(out, "\n")
}

func shell(dir, script string) (string, error) {
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// options are the options of the tests' clones.
func (r *repo) options() workspace.Options {
	return workspace.Options{Home: filepath.Join(filepath.Dir(r.dir), "trees"), Watch: watchedFiles{},
		Share: []string{".env", "node_modules", "old.log"}}
}

func (r *repo) workspace(run string, change ...func(*workspace.Options)) *workspace.Workspace {
	r.t.Helper()
	opts := r.options()
	for _, f := range change {
		f(&opts)
	}
	w, err := workspace.New(r.t.Context(), r.dir, run, opts)
	require.NoError(r.t, err)
	return w
}

func (r *repo) open(run string, change ...func(*workspace.Options)) *tree {
	r.t.Helper()
	s, err := r.workspace(run, change...).Open(r.t.Context(), run)
	require.NoError(r.t, err)
	return &tree{Space: s.(*workspace.Space), t: r.t, ctx: r.t.Context()}
}

// fingerprint returns a line for each file and directory of a person's, git's included: mode,
// inode, size, time of change and content.
func fingerprint(t testing.TB, dir string) (lines []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		inode := reflect.Indirect(reflect.ValueOf(info.Sys())).FieldByName("Ino") // invalid on Windows
		line := fmt.Sprintf("%s %v %v %d", path, info.Mode(), inode, info.Size())
		// Git freshens the times of an object that it finds instead of writing it, also by hard
		// links. Git LFS makes a temporary file for each git status.
		if !strings.Contains(path, "/objects/") && !strings.HasSuffix(path, "/.git/lfs/tmp") {
			line += " " + info.ModTime().String()
		}
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %x", sha256.Sum256(content))
		} else if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			line += " -> " + target
		}
		lines = append(lines, line)
		return nil
	})
	require.NoError(t, err)
	return lines
}

// difference returns the lines of one list only.
func difference(before, after []string) (out []string) {
	for _, x := range []struct {
		name        string
		lines, from []string
	}{{"lost", before, after}, {"new", after, before}} {
		have := map[string]bool{}
		for _, line := range x.from {
			have[line] = true
		}
		for _, line := range x.lines {
			if !have[line] {
				out = append(out, x.name+" "+line)
			}
		}
	}
	return out
}

// filesOf returns the files of a directory, without its .git.
func filesOf(t testing.TB, dir string) (lines []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case name == ".git" && d.IsDir():
			return fs.SkipDir
		case name == ".git":
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			lines = append(lines, fmt.Sprintf("%q -> %q", name, target))
			return err
		case d.Type().IsRegular():
			content, err := os.ReadFile(path)
			info, _ := d.Info()
			lines = append(lines, fmt.Sprintf("%q %v %q", name, info.Mode()&0o111, content))
			return err
		}
		return nil
	})
	require.NoError(t, err)
	return lines
}

// tree is the clone of a run, as an executor uses it.
type tree struct {
	*workspace.Space
	t     testing.TB
	ctx   context.Context
	found executor.Tree
}

// sh runs a script of the agent in the clone.
func (t *tree) sh(script string) string {
	t.t.Helper()
	return (&repo{t.t, t.Dir()}).sh(script)
}

func (t *tree) snapshot() executor.Tree {
	t.t.Helper()
	now, err := t.Snapshot(t.ctx)
	require.NoError(t.t, err)
	return now
}

// detect returns what differs from a checked tree.
func (t *tree) detect(checked executor.Tree) []executor.Change {
	t.t.Helper()
	t.found = t.snapshot()
	changes, err := t.Diff(t.ctx, checked, t.found)
	require.NoError(t.t, err)
	return changes
}

func (t *tree) revert(checked executor.Tree, changes []executor.Change) {
	t.t.Helper()
	_, err := t.Restore(t.ctx, checked, pathsOf(changes))
	require.NoError(t.t, err)
}

// work runs a script of the agent, and commits all of its changes.
func (t *tree) work(attempt int, script string) string {
	t.t.Helper()
	checked := t.snapshot()
	require.NoError(t.t, t.BeforeCall(t.ctx))
	t.sh(script)
	return t.commit(attempt, t.detect(checked))
}

func (t *tree) commit(attempt int, changes []executor.Change) string {
	t.t.Helper()
	id, err := t.Commit(t.ctx, executor.Commit{Attempt: attempt, Tree: t.found, Paths: pathsOf(changes),
		Message: fmt.Sprint("attempt ", attempt)})
	require.NoError(t.t, err)
	return id
}

// delivered is the result of a delivery.
type delivered struct{ branch, why, next string }

// deliver delivers and forwards.
func (t *tree) deliver() (d delivered) {
	t.t.Helper()
	d, err := deliver(t.ctx, t.Space)
	require.NoError(t.t, err)
	return d
}

func deliver(ctx context.Context, s *workspace.Space) (d delivered, err error) {
	if d.branch, err = s.Deliver(ctx); err == nil {
		d.why, d.next, err = s.Forward(ctx)
	}
	return d, err
}

func pathsOf(changes []executor.Change) (paths []string) {
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths
}

// listed returns changes as the cases write them.
func listed(changes []executor.Change) []string {
	files := []string{}
	for _, c := range changes {
		file := fmt.Sprintf("%s %s", c.Kind, c.Path)
		if c.Escapes {
			file += " escapes"
		}
		if c.Copies != "" {
			file += " copies " + c.Copies
		}
		files = append(files, file)
	}
	slices.Sort(files)
	return files
}

// evidenceOf returns "op/type" of an error's evidence.
func evidenceOf(t testing.TB, err error) string {
	t.Helper()
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	return ev.Op + "/" + ev.Type
}
