package temporal_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/workspace"
)

// mortal is everything around a run on the working tree of a folder. It has points before, in and
// after the effects, and kills its process at one of them.
type mortal struct{ folder, work string }

func (m mortal) configure(cfg *executor.Config, run string) error {
	paths, err := scope.New(scope.Config{Forbidden: []string{"forbidden/**"}})
	if err != nil {
		return err
	}
	tree, err := workspace.New(context.Background(), filepath.Join(m.folder, "tree"), run,
		workspace.Options{Home: filepath.Join(m.folder, "clones")})
	if err != nil {
		return err
	}
	m.work = tree.Dir()
	cfg.Provider, cfg.Validator, cfg.Guard, cfg.Deliver = m, m, paths, executor.DeliverPush
	cfg.Workspace = mortalTree{tree, m}
	return nil
}

// point appends the name of a point to a file, and kills the process if it is the point of its
// death. The next process is at a later point.
func (m mortal) point(what string) {
	path := filepath.Join(m.folder, "points")
	b, _ := os.ReadFile(path)
	if err := os.WriteFile(path, append(b, what+"\n"...), 0o600); err != nil {
		panic(err)
	}
	if strconv.Itoa(strings.Count(string(b), "\n")) == os.Getenv(deathVariable) {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		select {}
	}
}

func (m mortal) write(path, content string) error {
	path = filepath.Join(m.work, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o600)
}

func (m mortal) Name() string { return "claude-cli" }

func (m mortal) Available(context.Context) error { return nil }

// Call first changes a forbidden file as well, and finishes when it is told so.
func (m mortal) Call(_ context.Context, r executor.Request) (executor.Answer, error) {
	m.point("before call")
	answer, err := executor.Answer{Text: "Done.\nTASK COMPLETE"}, m.write("out", "half")
	m.point("in call")
	if err == nil {
		err = m.write("out", "done")
	}
	if err == nil && !strings.Contains(r.Prompt, "forbidden/x") {
		answer.Text, err = "There is more.", m.write("forbidden/x", "x")
	}
	m.point("after call")
	return answer, err
}

func (m mortal) Validate(_ context.Context, c executor.Check) error {
	m.point("before " + string(c.Phase))
	err := m.write("checked", "half")
	m.point("in " + string(c.Phase))
	if err == nil {
		err = m.write("checked", "done")
	}
	m.point("after " + string(c.Phase))
	return err
}

type mortalTree struct {
	*workspace.Workspace
	mortal
}

func (t mortalTree) Open(ctx context.Context, run string) (executor.Space, error) {
	s, err := t.Workspace.Open(ctx, run)
	if err != nil {
		return nil, err
	}
	return mortalSpace{s, t.mortal}, nil
}

type mortalSpace struct {
	executor.Space
	mortal
}

func (s mortalSpace) Save(ctx context.Context, name string, base, tree executor.Tree) (string, error) {
	s.point("before save")
	defer s.point("after save")
	return s.Space.Save(ctx, name, base, tree)
}

func (s mortalSpace) Restore(ctx context.Context, to executor.Tree, paths []string) (executor.Tree, error) {
	s.point("before revert")
	defer s.point("after revert")
	return s.Space.Restore(ctx, to, paths)
}

func (s mortalSpace) Accept(ctx context.Context, base, from executor.Tree, paths []string) (executor.Tree, error) {
	s.point("before accept")
	defer s.point("after accept")
	return s.Space.Accept(ctx, base, from, paths)
}

func (s mortalSpace) Commit(ctx context.Context, c executor.Commit) (string, error) {
	s.point("before commit")
	defer s.point("after commit")
	return s.Space.Commit(ctx, c)
}

func (s mortalSpace) Deliver(ctx context.Context) (string, error) {
	s.point("before deliver")
	defer s.point("after deliver")
	return s.Space.Deliver(ctx)
}

func (s mortalSpace) Forward(ctx context.Context) (why, next string, err error) {
	s.point("before forward")
	defer s.point("after forward")
	return s.Space.Forward(ctx)
}

func (s mortalSpace) Push(ctx context.Context) error {
	s.point("before push")
	defer s.point("after push")
	return s.Space.Push(ctx)
}

// newMortal returns a stage with a working tree and a remote repository.
func newMortal(t *testing.T) *stage {
	s := newStage(t)
	tree := filepath.Join(s.folder, "tree")
	require.NoError(t, mortal{s.folder, tree}.write("old", "old"))
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "T"}, {"config", "user.email", "t@example.com"},
		{"add", "."}, {"commit", "-q", "-m", "begin"}, {"init", "-q", "--bare", "../remote"},
		{"remote", "add", "origin", "../remote"},
	} {
		gitOutput(t, tree, args...)
	}
	return s
}

func gitOutput(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// delivered returns what must be the same wherever the worker was killed.
func (s *stage) delivered() string {
	tree, remote := filepath.Join(s.folder, "tree"), filepath.Join(s.folder, "remote")
	return gitOutput(s.t, tree, "log", "--format=%s %T", "--name-status") +
		gitOutput(s.t, tree, "status", "--porcelain") + gitOutput(s.t, remote, "log", "--format=%s %T", "--branches")
}

func (s *stage) points() []string {
	b, _ := os.ReadFile(filepath.Join(s.folder, "points"))
	return strings.Fields(strings.ReplaceAll(string(b), " ", "_"))
}

// The worker kills itself before, in or after an effect, and the next worker brings the run to the
// same end.
func TestServerKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	whole := newMortal(t)
	whole.worker()
	whole.start()
	r := whole.result()
	require.Equal(t, executor.EndCompleted, r.EndReason)
	points := whole.points()
	require.Subset(t, points, []string{
		"in_call", "after_save", "after_revert", "in_pre_commit", "after_commit", "after_deliver", "in_pre_push",
		"after_push", "after_forward",
	})
	want := whole.delivered()
	for i, point := range points {
		if testing.Short() && i%3 != 0 {
			continue
		}
		t.Run(strconv.Itoa(i)+" "+point, func(t *testing.T) {
			t.Parallel()
			s := newMortal(t)
			dead := s.worker(deathVariable + "=" + strconv.Itoa(i))
			s.start()
			require.Error(t, dead.Wait())
			require.Equal(t, points[:i+1], s.points())
			s.worker()
			r := s.result()
			assert.Equal(t, executor.EndCompleted, r.EndReason)
			assert.Equal(t, want, s.delivered())
			assert.LessOrEqual(t, r.Calls, 3)
			s.replays()
		})
	}
}

// A worker on another host, which took the queue of the one that died, refuses the run. It makes no
// clone, and the run can be continued where its clone is.
func TestServerOtherHost(t *testing.T) {
	t.Parallel()
	s, other := newMortal(t), newMortal(t)
	dead := s.worker(deathVariable + "=1")
	s.start()
	require.Error(t, dead.Wait())
	require.Equal(t, []string{"before_call", "in_call"}, s.points())
	was := other.delivered()
	stranger := s.worker(folderVariable + "=" + other.folder)
	r := s.result()
	kill(stranger)
	assert.Equal(t, executor.StatusFailed, r.Status)
	assert.Contains(t, r.Error, "the working tree of the run is missing")
	assert.Contains(t, r.Error, filepath.Join(other.folder, "clones"))
	assert.Equal(t, was, other.delivered())
	assert.NoDirExists(t, filepath.Join(other.folder, "clones"))
	assert.Empty(t, other.points())

	s.worker()
	require.NoError(t, s.runs.Reopen(t.Context(), s.task, executor.Reopening{}))
	r = s.result()
	assert.Equal(t, executor.EndCompleted, r.EndReason, r.Error)
	assert.Contains(t, s.delivered(), "begin")
}
