//go:build unix

package escalate_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/escalate/verify"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
)

// checked is a run whose checks are processes, in a repository, with its state in a directory.
func checked(ctx context.Context, dir, kept string) (escalate.Config, error) {
	m := tablesOf(rowsOfTests(), tiersOfTests()...)
	tree, err := workspace.Open(ctx, dir, workspace.Options{})
	if err != nil {
		return escalate.Config{}, err
	}
	facts, err := verify.New(verify.Options{Dir: dir, Grace: time.Second})
	if err != nil {
		return escalate.Config{}, err
	}
	journal, err := escalate.NewFileJournal(kept)
	if err != nil {
		return escalate.Config{}, err
	}
	return escalate.Config{
		Calls: executor.Config{
			Table: taxonomy.Table{Taxonomy: m.taxonomy}, Classify: m.classify, Decode: m.decode, Workspace: tree,
			Tiers: map[string]executor.Provider{"low": reporter(dir)},
		},
		Verifier: facts, Journal: journal,
	}, nil
}

// locking returns the words of a shell that has git's index locked, where a lock of the dead can be
// told from one of the living.
func locking() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	return "exec 9>.git/index.lock; "
}

// reporter is a tier that writes a report into a directory.
type reporter string

func (reporter) Name() string                    { return "reporter" }
func (reporter) Available(context.Context) error { return nil }

func (r reporter) Call(_ context.Context, req executor.Request) (executor.Answer, error) {
	err := os.WriteFile(filepath.Join(string(r), "report.md"), []byte("found"), 0o600)
	return executor.Answer{Text: "It is there.\nSTEP DONE " + escalate.Mark(req.Prompt)}, err
}

// hangingOnce is a plan. Its gate, or its criterion, says by a pipe that it has begun, and hangs,
// until there is a file "go".
func hangingOnce(pipes, kind string) plan.Plan {
	script := fmt.Sprintf("test -e %[1]s/go && exit 0; %[2]secho >%[1]s/begun; sleep 600 & wait", pipes, locking())
	command := plan.Command{Args: []string{"sh", "-c", script}}
	p := oneStep()
	p.Gate = []plan.Command{{Args: []string{"true"}}}
	switch kind {
	case "gate":
		p.Gate = append(p.Gate, command)
	case "criterion":
		p.Steps[0].Criteria = []plan.Criterion{{Kind: plan.Passes, Command: &command}}
	}
	return p
}

var playing = escalate.Plays("check", func(args []string) error {
	dir, kept, pipes, kind := args[0], args[1], args[2], args[3]
	cfg, err := checked(context.Background(), dir, kept)
	if err != nil {
		return err
	}
	if kind == "review" {
		hang := escalate.Script(locking() + "echo >" + filepath.Join(pipes, "begun") + "; sleep 600 & wait")
		cfg.Reviewer = escalate.NewReviewer(hang, escalate.ReviewerOptions{})
	}
	cfg.Journal = &telling{cfg.Journal, filepath.Join(pipes, "noted"), 0}
	r, err := escalate.New(cfg)
	if err != nil {
		return err
	}
	return fmt.Errorf("the run ended: %s", r.Run(context.Background(), "run", hangingOnce(pipes, kind)).EndReason)
})

// telling is a journal that writes to a pipe once the process of the check that hangs is noted.
type telling struct {
	escalate.Journal
	pipe string
	seen int // the gate's first command is another
}

func (j *telling) Save(ctx context.Context, s *escalate.State) error {
	if err := j.Journal.Save(ctx, s); err != nil || len(s.Checks) == 0 {
		return err
	}
	if j.seen++; j.seen != 2 {
		return nil
	}
	return os.WriteFile(j.pipe, []byte("noted"), 0)
}

// looking calls look right before a check.
type looking struct {
	escalate.Tracked
	look func()
}

func (l looking) Tracking(started func(executor.Process) error) escalate.Verifier {
	l.look()
	return l.Tracked.Tracking(started)
}

// lookingReviewer calls look when it is asked, and ends what another has begun.
type lookingReviewer struct {
	executor.Ender
	look func()
}

func (l lookingReviewer) Review(context.Context, escalate.ReviewInput) ([]*taxonomy.Evidence, error) {
	l.look()
	return nil, nil
}

// B-X06: a process that is killed in a gate, a criterion or a review has left a program that works
// on. Going on ends it before anything else is done.
func TestCheckKilled(t *testing.T) {
	for _, kind := range []string{"gate", "criterion", "review"} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t)
			kept, pipes := t.TempDir(), t.TempDir()
			begun, noted := filepath.Join(pipes, "begun"), filepath.Join(pipes, "noted")
			require.NoError(t, errors.Join(syscall.Mkfifo(begun, 0o600), syscall.Mkfifo(noted, 0o600)))
			cmd := exec.Command(os.Args[0], w.dir, kept, pipes, kind)
			cmd.Env = append(os.Environ(), playing+"=check")
			require.NoError(t, cmd.Start())
			for _, pipe := range []string{noted, begun} {
				_, err := os.ReadFile(pipe) // until it is so far
				require.NoError(t, err)
			}
			require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
			_ = cmd.Wait()
			left := lastCheck(t, kept)
			require.True(t, proc.Alive(left))
			t.Cleanup(func() { assert.NoError(t, proc.End(context.Background(), left, time.Second)) })

			require.NoError(t, os.WriteFile(filepath.Join(pipes, "go"), nil, 0o600))
			cfg, err := checked(t.Context(), w.dir, kept)
			require.NoError(t, err)
			looks := 0
			look := func() {
				looks++
				assert.False(t, proc.Alive(left), "nothing works on beside it")
			}
			cfg.Verifier = looking{cfg.Verifier.(escalate.Tracked), look}
			if kind == "review" {
				cfg.Reviewer = lookingReviewer{escalate.Script(""), look}
			}
			r, err := escalate.New(cfg)
			require.NoError(t, err)
			res := r.Run(t.Context(), "run", hangingOnce(pipes, kind))
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			assert.Equal(t, 1, res.Calls, "the answer is verified again, and not asked for again")
			assert.Positive(t, looks)
			assert.NoFileExists(t, filepath.Join(w.dir, ".git", "index.lock"))
			assert.Empty(t, checksIn(t, kept), "a check that is over is nobody's")
		})
	}
}

func checksIn(t *testing.T, kept string) []escalate.Check {
	t.Helper()
	j, err := escalate.NewFileJournal(kept)
	require.NoError(t, err)
	s, err := j.Open(t.Context(), "run")
	require.NoError(t, err)
	require.NoError(t, j.Close())
	return s.Checks
}

func lastCheck(t *testing.T, kept string) proc.ID {
	t.Helper()
	all := checksIn(t, kept)
	require.NotEmpty(t, all)
	p := all[len(all)-1]
	return proc.ID{PID: p.PID, Start: p.Start}
}
