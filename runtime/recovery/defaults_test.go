//go:build unix

package recovery

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
)

// B-D14: where nobody says otherwise a failure may ask for a wait of 15 minutes, and for no longer
// one.
func TestLongestWaitByDefault(t *testing.T) {
	for hint, passes := range map[time.Duration]bool{15 * time.Minute: true, 15*time.Minute + 1: false} {
		clock := newManual()
		w := newWorld(t, Options{Clock: clock})
		err := w.WaitForRateLimit(
			t.Context(), taxonomy.RecoveryRequest{Err: &coded{hints: taxonomy.Hints{RetryAfter: taxonomy.Some(hint)}}})
		assert.Equal(t, passes, err == nil, "%s: %v", hint, err)
		assert.Equal(t, passes, len(clock.sleeps) == 1)
	}
}

// A validation by the host may take ten minutes.
func TestValidateLimitByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var took time.Duration
		w := newWorld(
			t, Options{Tools: &recorder{dir: t.TempDir()}, TestFix: Fix{Commands: line("fix")},
				Validate: func(ctx context.Context, _ taxonomy.RecoveryRequest) error {
					began := time.Now()
					<-ctx.Done()
					took = time.Since(began)
					return context.Cause(ctx)
				}})
		assert.ErrorIs(t, w.FixTest(t.Context(), says("bad")), errOvertime)
		assert.Equal(t, 10*time.Minute, took)
	})
}

// taken are tools for a tree that somebody else never lets go of.
type taken struct{ recorder }

func (*taken) Begin(context.Context, string) (Tree, error) { return nil, workspace.ErrHeld }

// A tree that somebody else has is waited for, ten minutes.
func TestLockWaitByDefault(t *testing.T) {
	clock := newManual()
	began := clock.Now()
	var told []time.Duration
	w := newWorld(
		t, Options{Clock: clock, Tools: &taken{recorder{dir: t.TempDir()}},
			LintFix: Fix{Commands: line("fix"), Check: line("check")},
			Waiting: func(_ string, d time.Duration) { told = append(told, d) }})
	assert.ErrorIs(t, w.ApplyLintFix(t.Context(), says("bad")), workspace.ErrHeld)
	assert.Equal(t, 10*time.Minute, clock.Now().Sub(began))
	assert.Equal(t, []time.Duration{10 * time.Minute}, told)
}

// D95: a strategy has half an hour, five seconds to return then, and five minutes if it has the
// tree to put back.
func TestContainByDefault(t *testing.T) {
	for name, c := range map[string]struct {
		obeys, holds bool
		want         time.Duration
	}{
		"returns when it is told": {true, false, 30 * time.Minute},
		"hangs":                   {false, false, 30*time.Minute + 5*time.Second},
		"puts back for ever":      {false, true, 35*time.Minute + 5*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				let := make(chan struct{})
				defer close(let)
				r := Contain(one(func(ctx context.Context, _ taxonomy.RecoveryRequest) error {
					if c.holds {
						defer hold(ctx)()
					}
					<-ctx.Done()
					if !c.obeys {
						<-let
					}
					return context.Cause(ctx)
				}), ContainOptions{})
				began := time.Now()
				assert.ErrorIs(t, r.Recover(t.Context(), failed), errOvertime)
				assert.Equal(t, c.want, time.Since(began))
			})
		})
	}
}

// pruned is a working tree that notes from what age on saved changes are removed.
type pruned struct {
	*workspace.Git
	ages []time.Duration
}

func (p *pruned) PruneRuns(ctx context.Context, prefix string, olderThan time.Duration) (int, error) {
	p.ages = append(p.ages, olderThan)
	return p.Git.PruneRuns(ctx, prefix, olderThan)
}

// What mends have saved is kept for 14 days.
func TestKeepSavedByDefault(t *testing.T) {
	tree := &pruned{Git: newRepo(t).workspace()}
	tools, err := NewTools(ToolsConfig{Workspace: tree, Lock: true})
	require.NoError(t, err)
	w := newWorld(t, Options{Tools: tools, LintFix: Fix{Commands: line("echo x >>a.txt"), Check: line("true")}})
	require.NoError(t, w.ApplyLintFix(t.Context(), says("bad")))
	require.NotEmpty(t, tree.ages)
	for _, age := range tree.ages {
		assert.Equal(t, 14*24*time.Hour, age)
	}
}

// B-D17: what installers take for a file is no name of a package.
func TestArchivesAreNoPackages(t *testing.T) {
	for _, end := range []string{".tgz", ".tar", ".gz", ".tar.gz", ".bz2", ".tar.bz2", ".xz", ".tar.xz", ".zip", ".whl",
		".git", ".egg"} {
		assert.Equal(t, errPath, NPM.plain("a"+end, true), end)
		assert.Equal(t, errPath, Python.plain("a"+end, true), end)
		assert.Equal(t, errPath, Python.plain("a"+strings.ToUpper(end), true), end)
	}
	assert.NoError(t, Python.plain("a.zipp", true))
	assert.NoError(t, NPM.plain("a-zip", true))
}
