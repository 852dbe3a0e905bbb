package scenarios_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/providers/toolbox"
)

// writing is the arguments of a tool that writes a file.
func writing(path, content string) string {
	return `{"path":` + quoteJSON(path) + `,"content":` + quoteJSON(content) + `}`
}

// TestA171_ProviderErrorToNotification goes from an answer on the wire to what people read.
func TestA171_ProviderErrorToNotification(t *testing.T) {
	t.Parallel()
	t.Run("anthropic", func(t *testing.T) {
		s := bareStage(t)
		s.useAnthropic(toolbox.Options{}, providertest.Fixture("anthropic/not_found"))
		r := s.run()
		endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "provider", "PROVIDER_API_ERROR"})
		assert.EqualValues(t, 404, details(t, r, "statusCode"))
		assert.Equal(t, 1, len(s.server.Requests()), "the SDK tries nothing by itself")
		require.Len(t, s.hook.messages(), 1)
		assert.True(
			t, strings.HasPrefix(
				s.hook.messages()[0], "[PROVIDER] Task failed: provider anthropic-api API error 404: "),
			s.hook.messages()[0])
		assert.Contains(t, s.logged.String(), `[PROVIDER] Task failed: provider anthropic-api API error 404`)
		assert.Contains(t, s.logged.String(), "code=PROVIDER_API_ERROR")
	})
	t.Run("openai", func(t *testing.T) {
		s := bareStage(t)
		s.useOpenAI(toolbox.Options{}, providertest.Fixture("openai/quota"))
		r := s.run()
		endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "provider", "PROVIDER_API_ERROR"})
		assert.True(t, r.EndsRun, "no other task has credit either")
		assert.Equal(t, true, details(t, r, "quotaExceeded"))
		require.Len(t, s.hook.messages(), 1)
		assert.True(
			t, strings.HasPrefix(s.hook.messages()[0], "[PROVIDER] Task failed: provider openai-api API error 429: "),
			s.hook.messages()[0])
	})
	t.Run("claude", func(t *testing.T) {
		s := newStage(t, providertest.CLIExit(3, "panic: something broke\n").Always())
		r := s.run()
		endedAs(t, r, end{executor.StatusBlocked, executor.EndMaxFailures, "provider", "PROVIDER_CRASH"})
		assert.EqualValues(t, 3, details(t, r, "exitCode"))
		assert.Equal(
			t, []string{"[PROVIDER] Task blocked: provider claude-cli crashed with exit code 3: panic: something " +
				"broke"}, s.hook.messages())
	})
}

// TestA172_ConfigErrorDuringTheRun ends it at once, with the category of the configuration.
func TestA172_ConfigErrorDuringTheRun(t *testing.T) {
	t.Parallel()
	for code, text := range map[string]string{
		"CONFIG_PARSE_ERROR": "model: [\n",
		"CONFIG_INVALID":     "retries: many\n",
		"CONFIG_MISSING":     "",
	} {
		t.Run(code, func(t *testing.T) {
			s := newStage(t)
			p := configured(s, "model: scripted\n")
			change := []string{"cp", s.t.TempDir() + "/next.yml", p.path}
			if text == "" {
				change = []string{"rm", p.path}
			} else {
				require.NoError(t, os.WriteFile(change[1], []byte(text), 0o600))
			}
			require.NoError(t, s.cli.Add(providertest.CLIAnswer("more to do").Write("a.txt", "a\n").Command(change...)))
			s.cfg.Provider = p
			r := s.run()
			endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "config", code})
			assert.True(t, r.EndsRun)
			assert.Equal(t, []int{2, 2, 0, 0, 1}, counters(r))
			assert.Equal(t, p.path, details(t, r, "configPath"))
			require.Len(t, s.hook.messages(), 1)
			assert.True(t, strings.HasPrefix(s.hook.messages()[0], "[CONFIG] Task failed: "), s.hook.messages())
			assert.Equal(t, []string{"a.txt"}, r.CommittedFiles, "what was done before stays")
		})
	}
}

// TestA173_ScopeViolation is in the result, and the files are as they were.
func TestA173_ScopeViolation(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLIAnswer("more to do").Write("src/main.txt", "two\n").Write("docs/a.txt", "a\n").
		Always())
	s.scope = scope.Config{Allowed: []string{"docs/**"}, Forbidden: []string{"**/.env"}}
	r := s.run()
	endedAs(t, r, end{executor.StatusBlocked, executor.EndMaxFailures, "scope", "SCOPE_OUTSIDE_ALLOWED"})
	assert.Equal(t, []any{"src/main.txt"}, details(t, r, "files"))
	assert.Equal(t, "strict", details(t, r, "scopeMode"))
	assert.Equal(t, "BLOCK", details(t, r, "decision"))
	assert.Equal(t, []int{3, 3, 3, 3, 3}, counters(r))
	assert.Equal(t, "one\n", s.read("src/main.txt"))
	assert.Equal(t, "a\n", s.read("docs/a.txt"))
	assert.Equal(t, []string{"docs/a.txt"}, r.UncommittedFiles)
	assert.Len(t, r.SavedRefs, 3)
	assert.Equal(t, []string{"[SCOPE] Task blocked: 1 file(s) outside the allowed scope: src/main.txt"},
		s.hook.messages())
	assert.Contains(t, s.prompts()[1], "The changes to src/main.txt were undone")
}

// TestA174_ValidationFailure is handed to the model over HTTP, with the output.
func TestA174_ValidationFailure(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(s *stage){
		"anthropic": func(s *stage) {
			s.useAnthropic(toolbox.Options{}, providertest.AnthropicTool("write_file", writing("draft.txt", "draft")),
				providertest.AnthropicText(theEnd),
				providertest.AnthropicTool("write_file", writing("chapter.txt", "it")),
				providertest.AnthropicText(theEnd))
		},
		"openai": func(s *stage) {
			s.useOpenAI(toolbox.Options{}, providertest.OpenAITool("write_file", writing("draft.txt", "draft")),
				providertest.OpenAIText(theEnd),
				providertest.OpenAITool("write_file", writing("chapter.txt", "it")), providertest.OpenAIText(theEnd))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := bareStage(t)
			play(s)
			s.checks.PreCommit = []validate.Command{s.wants("chapter.txt")}
			r := s.run()
			endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
			assert.Equal(t, []int{2, 2, 0, 1, 1}, counters(r))
			bodies := s.bodies()
			require.Len(t, bodies, 4)
			assert.NotContains(t, bodies[0], "TestChapter")
			assert.Contains(t, bodies[2], "FAIL: TestChapter wants chapter.txt")
			assert.Equal(t, []string{"chapter.txt", "draft.txt"}, r.CommittedFiles)
		})
	}
}

// TestA175_CommitRetriedAndRecovered finds the lock gone at the second try.
func TestA175_CommitRetriedAndRecovered(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLIAnswer(theEnd).Write("a.txt", "a\n"))
	failed := filepath.Join(t.TempDir(), "failed")
	s.tree.Binary = wrappedGit(t,
		`case "$*" in *commit-tree*) [ -e `+failed+` ] || { touch `+failed+`; exit 1; } ;; esac`)
	r := s.run()
	endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
	assert.Equal(t, []string{"GIT_COMMIT_FAILED repeat"}, reactionsOf(r))
	assert.True(t, r.Errors[0].Retried)
	assert.Equal(t, []time.Duration{time.Second}, s.clock.slept())
	assert.Equal(t, []string{"a.txt"}, r.CommittedFiles)
	assert.Empty(t, r.UncommittedFiles)
	assert.Len(t, r.Warnings, 1, "the uncommitted files of the person")
	assert.Equal(t, []string{"Write a chapter"}, s.commits())
	assert.Equal(t, []string{"a.txt"}, s.committed(), "and nothing of what the user had staged")
	body := s.git("show", "-s", "--format=%B", "HEAD")
	assert.Contains(t, body, "Errgen-Run: run-1")
	assert.Contains(t, body, "Errgen-Attempt: 1")
	assert.Equal(t, []string{"Task completed: task-42"}, s.hook.messages())
}

// TestA176_ThroughAllParts has a case for each way through.
func TestA176_ThroughAllParts(t *testing.T) {
	t.Parallel()
	done := providertest.CLIAnswer(theEnd).Write("a.txt", "a\n")
	ok := end{executor.StatusCompleted, executor.EndCompleted, "", ""}
	tests := []struct {
		name  string
		stage func(s *stage)
		steps []providertest.CLIStep
		want  end
		// reactions are the errors with their reactions.
		reactions []string
		slept     []time.Duration
		files     []string // committed
	}{
		{"all is well", nil, []providertest.CLIStep{done}, ok, nil, nil, []string{"a.txt"}},
		{"nothing to do", nil, []providertest.CLIStep{providertest.CLIAnswer(theEnd)}, ok, nil, nil, nil},
		{"crash, then done", nil, []providertest.CLIStep{providertest.CLICrash("SEGV"), done}, ok,
			[]string{"PROVIDER_CRASH again"}, nil, []string{"a.txt"}},
		{"no result, then done", nil, []providertest.CLIStep{providertest.CLIStep{}.Say("working"), done}, ok,
			[]string{"PROVIDER_CRASH again"}, nil, []string{"a.txt"}},
		{"half a result, then done", nil, []providertest.CLIStep{providertest.CLIFixture("claude/truncated"), done}, ok,
			[]string{"PROVIDER_CRASH again"}, nil, []string{"a.txt"}},
		{"overloaded, then done", nil, []providertest.CLIStep{providertest.CLIFixture("claude/overloaded"), done}, ok,
			[]string{"PROVIDER_API_ERROR backoff"}, []time.Duration{time.Second}, []string{"a.txt"}},
		{"overloaded for ever", func(s *stage) { s.cfg.Limits.Failures = 9 },
			[]providertest.CLIStep{providertest.CLIFixture("claude/overloaded").Always()},
			end{executor.StatusBlocked, executor.EndRetriesUsedUp, "provider", "PROVIDER_API_ERROR"},
			[]string{"PROVIDER_API_ERROR backoff", "PROVIDER_API_ERROR backoff", "PROVIDER_API_ERROR backoff",
				"PROVIDER_API_ERROR backoff", "PROVIDER_API_ERROR block"},
			[]time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 7 * time.Second}, nil},
		{"no credit", nil, []providertest.CLIStep{providertest.CLIFixture("claude/credit")},
			end{executor.StatusFailed, executor.EndFatal, "provider", "PROVIDER_API_ERROR"},
			[]string{"PROVIDER_API_ERROR stop_all"}, nil, nil},
		{"out of the limit until a time that is known", nil,
			[]providertest.CLIStep{providertest.CLILimited("claude/usage_limit",
				time.Date(2026, 3, 1, 12, 10, 0, 0, time.UTC)), done}, ok,
			[]string{"PROVIDER_RATE_LIMIT wait"}, []time.Duration{10 * time.Minute}, []string{"a.txt"}},
		{"out of the limit for too long", nil,
			[]providertest.CLIStep{providertest.CLILimited("claude/rate_limit",
				time.Date(2026, 3, 1, 15, 0, 0, 0, time.UTC))},
			end{executor.StatusBlocked, executor.EndRetriesUsedUp, "provider", "PROVIDER_RATE_LIMIT"},
			[]string{"PROVIDER_RATE_LIMIT block"}, nil, nil},
		{"a check takes too long", func(s *stage) {
			s.checks.Limit, s.checks.Grace = 10*short, 100*time.Millisecond
			s.checks.PreCommit = []validate.Command{{Line: "test -f b.txt || sleep 60"}}
		}, []providertest.CLIStep{done, providertest.CLIAnswer(theEnd).Write("b.txt", "b\n")}, ok,
			[]string{"OPERATION_TIMEOUT again"}, nil, []string{"a.txt", "b.txt"}},
		{"it asks for a person", nil,
			[]providertest.CLIStep{providertest.CLIAnswer("I need a key.\nBLOCKED: which key?\n")},
			end{executor.StatusBlocked, executor.EndBlockedSignal, "", ""}, nil, nil, nil},
		{"it never ends", func(s *stage) { s.cfg.Limits.Iterations = 3 },
			[]providertest.CLIStep{providertest.CLIAnswer("more to do").Always()},
			end{executor.StatusBlocked, executor.EndMaxIterations, "", ""}, nil, nil, nil},
		{"events that cannot be read", nil,
			[]providertest.CLIStep{providertest.CLIFixture("claude/malformed"), done}, ok,
			[]string{"PROVIDER_CRASH again"}, nil, []string{"a.txt"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, test.steps...)
			s.checks.PreCommit = []validate.Command{{Args: []string{"true"}}}
			s.cfg.Limits.Iteration = 10 * time.Minute
			if test.stage != nil {
				test.stage(s)
			}
			r := s.run()
			endedAs(t, r, test.want)
			assert.Equal(t, test.reactions, reactionsOf(r))
			assert.Equal(t, test.slept, s.clock.slept())
			assert.Equal(t, test.files, r.CommittedFiles)
			assert.Len(t, s.hook.messages(), 1)
		})
	}
}
