package main

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/recovery"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// running is a session of the program, in which a test decides the results of the skills' calls.
type running struct {
	*session
	t *testing.T
}

func newRunning(t *testing.T, out io.Writer) *running {
	s := newSession(out, retry.System)
	return &running{s, t}
}

// skill returns a skill of source with the block error-handling, ready to be run.
func (s *running) skill(source, block string) *job {
	s.t.Helper()
	sk, err := loadSkill(written(s.t, "name: work\ncommand: [none]\nsource: "+source+"\nerror-handling:\n"+block))
	require.NoError(s.t, err)
	j, err := s.prepare(s.t.Context(), sk, "")
	require.NoError(s.t, err)
	return j
}

// handle runs a skill whose calls fail as said, and then succeed.
func (j *job) handle(ctx context.Context, failures ...evidence) recovery.Outcome {
	return j.handler.Handle(
		ctx, recovery.Op{Name: j.skill.Name, Source: j.skill.Source, Do: func(context.Context) error {
			if len(failures) == 0 {
				return nil
			}
			failure := failures[0]
			failures = failures[1:]
			return &failure
		}})
}

// limited is evidence of a limit of the rate that is over after so long.
func limited(source string, after time.Duration) evidence {
	failure := answered(source, 429)
	failure.RetryAfter = taxonomy.Some(after)
	return failure
}

const (
	balanced   = "  profile: default\n"
	noRecovery = "  recovery: {enable_automatic_recovery: false}\n"
)

// TestSkillsShareABreaker: a model that is down is not asked by all of them in turn. B-X01
func TestSkillsShareABreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := newRunning(t, &out)
		first := s.skill("llm", "  retry: {max_attempts: 5}\n").
			handle(t.Context(), repeated(5, answered("llm", 503))...)
		require.Equal(t, 5, first.Calls)

		other := s.skill("github", balanced).handle(t.Context())
		assert.Empty(t, other.Result.Waits, "another source is not down")
		second := s.skill("llm", balanced).handle(t.Context())
		require.NoError(t, second.Err)
		require.Len(t, second.Result.Waits, 1)
		assert.Equal(t, "breaker", second.Result.Waits[0].For)
		assert.Contains(t, out.String(), " (breaker)")
	})
}

// TestSkillsWaitTogether: what one of them is told to wait, the others wait, too, whether a
// strategy waits or a retry. B-X01
func TestSkillsWaitTogether(t *testing.T) {
	for name, block := range map[string]string{"a strategy": balanced, "a retry": noRecovery} {
		for _, source := range []string{"llm", "github"} {
			t.Run(name+" "+source, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, began := newRunning(t, io.Discard), time.Now()
					first, second, other := s.skill(source, block), s.skill(source, block), s.skill("tool", block)
					var all sync.WaitGroup
					all.Go(func() {
						out := first.handle(t.Context(), limited(source, 30*time.Second))
						assert.Equal(t, 2, out.Calls)
						assert.GreaterOrEqual(t, time.Since(began), 30*time.Second)
					})
					time.Sleep(time.Second)
					assert.Empty(t, other.handle(t.Context()).Result.Waits)
					out := second.handle(t.Context())
					all.Wait()
					require.NoError(t, out.Err)
					require.Len(t, out.Result.Waits, 1)
					assert.Equal(t, "lane", out.Result.Waits[0].For)
					assert.GreaterOrEqual(t, time.Duration(out.Result.Waits[0].Took), 29*time.Second)
				})
			})
		}
	}
}

// TestLongWaits: a strategy waits as long as GitHub's limit lasts, and is not cut short. B-X01
func TestLongWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s, began := newRunning(t, &out), time.Now()
		got := s.skill("github", balanced).handle(t.Context(), limited("github", 45*time.Minute))
		require.NoError(t, got.Err)
		assert.Equal(t, 2, got.Calls)
		assert.Equal(t, 45*time.Minute, time.Since(began), "and not a second time for the call")
		assert.Contains(t, out.String(), "wait_for_rate_limit waits 45m0s")
	})
}

// TestSkillsPreventLimits: where a limit of the rate is likely to be met again, calls keep apart,
// those of several skills, too. D179 D180
func TestSkillsPreventLimits(t *testing.T) {
	const tries = "  retry: {max_attempts: 1}\n" + noRecovery
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := newRunning(t, &out)
		for range 30 {
			s.skill("github", tries).handle(t.Context(), answered("github", 429))
			time.Sleep(5 * time.Second)
		}
		assert.NotContains(t, out.String(), "prevent: ", "the last call is always long enough ago")
		s.skill("github", tries).handle(t.Context(), answered("github", 429))

		got := s.skill("github", tries).handle(t.Context())
		require.NoError(t, got.Err)
		want := executor.Wait{For: "prevent: github_rate_limit", Took: taxonomy.Duration(2 * time.Second)}
		assert.Equal(t, []executor.Wait{want}, got.Result.Waits)
		assert.Contains(t, out.String(), "waiting 2.0s (prevent: github_rate_limit)")
	})
}

// TestSkillsLearn: where trying again does not help, it is done less often under the profile
// thorough. D178
func TestSkillsLearn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRunning(t, io.Discard)
		down := repeated(100, answered("github", 503))
		calls := s.skill("github", "  profile: thorough\n").handle(t.Context(), down...).Calls
		require.Equal(t, 10, calls)
		fewest := calls
		for range 50 {
			fewest = min(fewest, s.skill("github", "  profile: thorough\n").handle(t.Context(), down...).Calls)
		}
		assert.Equal(t, 3, fewest, "what is tried at least")
	})
}
