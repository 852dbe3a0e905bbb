package scenarios_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/gittree"
)

// TestTwins tells random stories under random tables twice, in memory and in a repository of git.
// They must not differ: what is proved in memory then holds of git.
func TestTwins(t *testing.T) {
	const seeds, shards = 48, 4
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			first := newTwinRepo(t)
			for seed := uint64(shard); seed < seeds; seed += shards {
				if testing.Short() && seed%12 > 3 {
					continue
				}
				twins(t, first, seed)
			}
		})
	}
}

// newTwinRepo makes a repository with the files of a memTree.
func newTwinRepo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	r := &storyRepo{t: t, dir: dir}
	r.git("init", "-q")
	for path, content := range newMemTree().head {
		r.write(path, content)
	}
	r.git("add", "-A")
	r.git("commit", "-qm", "first")
	for path, content := range newMemTree().files {
		if !strings.HasPrefix(path, "ignored/") {
			r.write(path, content)
		}
	}
	r.git("init", "-q", "--bare", ".git/remote")
	r.git("remote", "add", "origin", ".git/remote")
	return dir
}

// tellable makes the world of a seed, without what a memTree has in another way than git: ignored
// files are seen by git's working tree only if they are forbidden, and a pull request needs a
// command.
func tellable(seed uint64) *madeWorld {
	w := makeWorld(seed, true)
	w.cfg.Limits.Iteration = time.Hour
	w.cfg.Deliver = min(w.cfg.Deliver, executor.DeliverPush)
	w.tree.fails = func(string) error { return nil }
	for i := range w.actor.turns {
		w.actor.turns[i].writes = slices.DeleteFunc(w.actor.turns[i].writes,
			func(p string) bool { return strings.HasPrefix(p, "ignored/") })
	}
	return w
}

func twins(t *testing.T, first string, seed uint64) {
	t.Helper()
	var inMemory *madeWorld
	var want *executor.Result
	synctest.Test(t, func(t *testing.T) {
		inMemory = tellable(seed)
		want = inMemory.live()
		inMemory.check(t, want)
	})
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(home, os.DirFS(first)))
	twin := inGit(t, home, seed)
	got := twin.live()
	about := fmt.Sprintf("seed %d", seed)
	assert.Equal(t, lasting(compared(want)), lasting(compared(got)), about)
	maps.DeleteFunc(
		inMemory.tree.files, func(p, _ string) bool {
			return strings.HasPrefix(p, "ignored/") ||
				strings.HasPrefix(p, ".git/")
		})
	assert.Equal(t, inMemory.tree.files, filesIn(t, home), about)
	r := &storyRepo{t: t, dir: home}
	head := map[string]string{}
	for _, path := range strings.Split(r.git("ls-tree", "-r", "--name-only", "HEAD"), "\n") {
		head[path] = r.git("show", "HEAD:"+path)
	}
	assert.Equal(t, inMemory.tree.head, head, about)
	assert.Len(t, strings.Split(r.git("log", "--format=%h"), "\n"), 1+len(inMemory.tree.commits), about)
	if t.Failed() {
		for _, line := range twin.lines {
			t.Log(line)
		}
		t.FailNow()
	}
	require.NoError(t, os.RemoveAll(home))
}

// inGit is the world of a seed with a repository in place of the tree in memory.
func inGit(t *testing.T, home string, seed uint64) *madeWorld {
	t.Helper()
	w := tellable(seed)
	guard := w.cfg.Guard.(*memGuard).Scope
	tree, err := gittree.New(t.Context(), home, gittree.Options{Watch: guard})
	require.NoError(t, err)
	w.cfg.Workspace, w.cfg.Guard, w.cfg.Admission.Lanes = tree, guard, nil
	w.cfg.Clock = &jumpingClock{now: time.Now()}
	w.cfg.Validator = onDisk{w.cfg.Validator, w, home}
	provider := &diskTwin{w.actor, home}
	w.cfg.Provider = provider
	for name := range w.cfg.Tiers {
		w.cfg.Tiers[name] = provider
	}
	return w
}

// diskTwin is an actor whose files are on a disk.
type diskTwin struct {
	*actor
	dir string
}

func (d *diskTwin) Call(ctx context.Context, req executor.Request) (answer executor.Answer, err error) {
	before := maps.Clone(d.tree.files)
	defer func() {
		// Also what a turn has written that panics then.
		for _, path := range slices.Sorted(maps.Keys(unionOf(before, d.tree.files))) {
			if d.tree.files[path] != before[path] || (d.tree.files[path] == "") != (before[path] == "") {
				d.put(path, d.tree.files[path])
			}
		}
	}()
	d.tree.files, before = d.read(), d.read()
	return d.actor.Call(ctx, req)
}

// read returns the files as they are.
func (d *diskTwin) read() map[string]string {
	files, err := readFiles(d.dir)
	if err != nil {
		panic(err)
	}
	return files
}

// put writes a file; a link that leads out is one.
func (d *diskTwin) put(path, content string) {
	file := filepath.Join(d.dir, filepath.FromSlash(path))
	err := os.RemoveAll(file)
	switch {
	case err != nil || content == "":
	case path == "src/link":
		if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
			err = os.Symlink("/nowhere/"+content, file)
		}
	case path == ".git/config":
		err = os.WriteFile(file, []byte("[remote \"origin\"]\n\turl = .git/remote\n[turn]\n\tnote = "+content+"\n"),
			0o644)
	default:
		err = writeOrRemove(file, content)
	}
	if err != nil {
		panic(err)
	}
}

// onDisk looks at the files on a disk.
type onDisk struct {
	executor.Validator
	world *madeWorld
	dir   string
}

func (o onDisk) Validate(ctx context.Context, c executor.Check) error {
	files, err := readFiles(o.dir)
	if err != nil {
		return err
	}
	o.world.tree.files = files
	return o.Validator.Validate(ctx, c)
}

func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := readFiles(dir)
	require.NoError(t, err)
	return files
}

// readFiles returns the contents of the files below dir that are not git's own; that of a link is
// where it leads.
func readFiles(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		var content string
		if d.Type()&fs.ModeSymlink != 0 {
			content, err = os.Readlink(path)
			content = strings.TrimPrefix(content, "/nowhere/")
		} else {
			var b []byte
			b, err = os.ReadFile(path)
			content = string(b)
		}
		files[filepath.ToSlash(name)] = content
		return err
	})
	return files, err
}

// writeOrRemove writes a file; an empty content removes it.
func writeOrRemove(path, content string) error {
	if content == "" {
		return os.RemoveAll(path) // a turn that is played again may have removed it
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o755)
}

// compared is a result without what differs with the time of commits, and without errors that
// another try has overcome at once.
func compared(r *executor.Result) *executor.Result {
	c := *r
	c.Errors = slices.DeleteFunc(slices.Clone(r.Errors), func(e executor.ErrorRecord) bool { return e.Retried })
	c.Errors, c.ErrorCount, c.Reactions = slices.Clip(c.Errors), len(c.Errors), nil
	c.Commits = slices.Clone(r.Commits)
	for i := range c.Commits {
		c.Commits[i].ID = ""
	}
	return &c
}

// lasting is a result without waits, times and what was saved, as JSON.
func lasting(r *executor.Result) string {
	c := *r
	c.Resumed, c.Waits, c.Waited, c.SavedRefs, c.Warnings = false, nil, 0, nil, nil
	c.StartedAt, c.EndedAt = time.Time{}, time.Time{}
	b, err := json.MarshalIndent(&c, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}
