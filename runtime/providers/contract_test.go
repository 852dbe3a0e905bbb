package providers_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/openai"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// whenSent calls f as soon as a request was sent.
func whenSent(f func()) func(*http.Request) *http.Request {
	return func(r *http.Request) *http.Request {
		trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { f() }}
		return r.WithContext(httptrace.WithClientTrace(r.Context(), trace))
	}
}

func TestAnswer(t *testing.T) {
	for _, provider := range all {
		t.Run(provider, func(t *testing.T) {
			s := open(t, provider, options{}, text(provider, "All is well.\nTASK COMPLETE"))
			require.NoError(t, s.Available(t.Context()))
			assert.Zero(t, s.count(t), "a check without a probe makes no call")
			assert.Equal(t, provider, s.Name())
			assert.Regexp(t, "^"+provider+":[0-9a-f]{8,12}$", s.Provider.(executor.Credentialed).Credential())

			answer, err := s.Call(t.Context(), request(t))
			require.NoError(t, err)
			assert.Equal(t, "All is well.\nTASK COMPLETE", answer.Text)
			assert.NotEmpty(t, answer.Session)
			assert.Equal(t, executor.SignalNone, answer.Signal)
			assert.Empty(t, answer.Failure)
			assert.False(t, answer.Usage.InputTokens.IsZero())
			assert.Equal(t, 1, s.count(t))
		})
	}
}

func TestNames(t *testing.T) {
	for _, provider := range all {
		s := open(t, provider, options{name: "mine"}, hang(provider))
		req := request(t)
		_, err := s.Call(within(t, &req, 200*time.Millisecond), req)
		assert.Equal(t, "mine", s.Name())
		assert.Equal(t, "mine", evidence(t, err).Source)
	}
}

func TestRequests(t *testing.T) {
	for _, provider := range apis {
		s := open(t, provider, options{cache: true}, text(provider, "x"))
		_, err := s.Call(t.Context(), request(t))
		require.NoError(t, err)
		r := s.server.Requests()[0]
		sent := sentTo(t, s)[0]
		assert.True(t, sent.Stream)
		assert.Equal(t, "read_file", sent.toolNames()[0])
		assert.NotContains(t, string(r.Body), key)
		if provider == anthropicAPI {
			assert.Equal(t, "/v1/messages", r.Path)
			assert.Equal(t, "***", r.Header.Get("X-Api-Key"))
			assert.Equal(t, "claude-sonnet-4-5", sent.Model)
			assert.Equal(t, anthropic.DefaultMaxTokens, sent.MaxTokens)
			assert.NotNil(t, sent.CacheControl)
			assert.Equal(t, "object", sent.Tools[0].InputSchema["type"])
			assert.Equal(t, []any{"path"}, sent.Tools[0].InputSchema["required"])
			continue
		}
		assert.Equal(t, "/v1/chat/completions", r.Path)
		assert.Equal(t, "***", r.Header.Get("Authorization"))
		assert.Equal(t, "gpt-4.1", sent.Model)
		assert.Equal(t, map[string]bool{"include_usage": true}, sent.StreamOptions)
		assert.Equal(t, "object", sent.Tools[0].Function.Parameters["type"])
		assert.Equal(t, []any{"path"}, sent.Tools[0].Function.Parameters["required"])
	}
}

func TestAvailable(t *testing.T) {
	for _, p := range []func() (executor.Provider, error){
		func() (executor.Provider, error) { return anthropic.New(anthropic.Options{Model: "m"}) },
		func() (executor.Provider, error) { return openai.New(openai.Options{Model: "m"}) },
	} {
		withoutKey, err := p()
		require.NoError(t, err)
		err = withoutKey.Available(t.Context())
		assert.Equal(t, "available", evidence(t, err).Op)
		assert.Equal(t, "PROVIDER_NOT_AVAILABLE", code(t, err))
	}
}

func TestClaudeAvailable(t *testing.T) {
	for what, c := range map[string]struct{ script, kind, text string }{
		"an exit code": {"echo no such version >&2; exit 1", "", "no such version"},
		"hanging":      {"hang", "timeout", ""},
		"a signal":     {"die KILL", "", ""},
	} {
		t.Run(what, func(t *testing.T) {
			s := open(t, claudeCLI, options{claude: claudecli.Options{Probe: 300 * time.Millisecond}}, script{})
			require.NoError(t, s.cli.Version(c.script))
			ev := evidence(t, s.Available(t.Context()))
			assert.Equal(t, []string{"available", c.kind}, []string{ev.Op, ev.Type})
			assert.Contains(t, ev.Text, c.text)
		})
	}
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, []byte("x"), 0o600))
	for path, want := range map[string][3]string{
		"no-such-program-anywhere": {"not_found", "PROVIDER_NOT_AVAILABLE", "PROVIDER_NOT_AVAILABLE"},
		plain:                      {"start", "PROVIDER_CRASH", "PROVIDER_NOT_AVAILABLE"},
	} {
		p, err := claudecli.New(claudecli.Options{Path: path})
		require.NoError(t, err)
		answer, err := p.Call(t.Context(), request(t))
		assert.Equal(t, []string{want[0], "call"}, []string{evidence(t, err).Type, evidence(t, err).Op})
		assert.Equal(t, want[1], code(t, err))
		assert.Equal(t, used(0, 0, 0), answer.Usage)
		assert.Equal(t, want[2], code(t, p.Available(t.Context())))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, open(t, claudeCLI, options{}, script{}).Available(ctx), context.Canceled)
}

func TestMissingDirectory(t *testing.T) {
	for _, provider := range apis {
		s := open(t, provider, options{}, text(provider, "x"))
		req := request(t)
		req.Dir = filepath.Join(req.Dir, "missing")
		answer, err := s.Call(t.Context(), req)
		assert.Equal(t, []string{provider, "call", "ENOENT"},
			[]string{evidence(t, err).Source, evidence(t, err).Op, evidence(t, err).Errno})
		assert.Equal(t, used(0, 0, 0), answer.Usage)
		assert.Zero(t, s.count(t))
	}
}

func TestTools(t *testing.T) {
	for _, provider := range apis {
		t.Run(provider, func(t *testing.T) {
			s := open(t, provider, options{}, tools(provider, "First I look.",
				pt.ToolCall{ID: "a", Name: "list_files"},
				pt.ToolCall{ID: "b", Name: "read_file", Arguments: `{"path":"none"}`}).then(
				tool(provider, "write_file", `{"path":"a.txt","content":"hällo"}`),
				tools(provider, "Now it is done.",
					pt.ToolCall{Name: "task_done", Arguments: `{"summary":"wrote a.txt"}`},
					pt.ToolCall{ID: "late", Name: "delete_file", Arguments: `{"path":"a.txt"}`}),
				text(provider, "You are welcome.")))
			req := request(t)
			var told []string
			req.Progress = func(text string) { told = append(told, text) }
			answer, err := s.Call(t.Context(), req)
			require.NoError(t, err)
			assert.Equal(t, executor.SignalDone, answer.Signal)
			assert.Equal(t, "Now it is done.", answer.Text)
			assert.Equal(t, taxonomy.Some(int64(75)), answer.Usage.InputTokens)
			written, err := os.ReadFile(filepath.Join(req.Dir, "a.txt"))
			require.NoError(t, err)
			assert.Equal(t, "hällo", string(written), "no tool runs after the end of the task")
			assert.Equal(t, []string{"First I look.", "list_files", "read_file none", "write_file a.txt",
				"Now it is done.", "task_done"}, told)

			req.Session, req.Prompt = answer.Session, "thanks"
			_, err = s.Call(t.Context(), req)
			require.NoError(t, err)
			all := sentTo(t, s)[3].outline()
			assert.Subset(t, all, []string{"user: do it",
				`assistant: First I look. list_files{} read_file{"path":"none"}`,
				`assistant: write_file{"path":"a.txt","content":"hällo"}`,
				`assistant: Now it is done. task_done{"summary":"wrote a.txt"} delete_file{"path":"a.txt"}`})
			whole := strings.Join(all, "\n")
			for _, result := range []string{"a=there are no files", "b=", "late="} {
				assert.Contains(t, whole, result)
			}
			assert.Equal(t, "user: thanks", all[len(all)-1])
		})
	}
}

func TestTaskBlocked(t *testing.T) {
	for _, provider := range apis {
		s := open(t, provider, options{}, tool(provider, "task_blocked", `{"question":"Which port?"}`))
		answer, err := s.Call(t.Context(), request(t))
		require.NoError(t, err)
		assert.Equal(t, executor.SignalBlocked, answer.Signal)
		assert.Equal(t, []string{"Which port?", "Which port?"}, []string{answer.Question, answer.Text})
	}
}

// A refused tool ends the call. The tools before it took effect, those after it did not.
func TestRefusedTool(t *testing.T) {
	for _, provider := range apis {
		t.Run(provider, func(t *testing.T) {
			write := func(path string) pt.ToolCall {
				return pt.ToolCall{ID: path, Name: "write_file", Arguments: `{"path":"` + path + `","content":"x"}`}
			}
			s := open(t, provider, options{tools: strict}, tools(provider, "", write("a"),
				pt.ToolCall{ID: "b", Name: "run_command", Arguments: `{"command":"rm -rf /"}`}, write("c")).
				then(text(provider, "I see.")))
			req := request(t)
			answer, err := s.Call(t.Context(), req)
			assert.Equal(t, "PERMISSION_COMMAND_BLOCKED", code(t, err))
			assert.FileExists(t, filepath.Join(req.Dir, "a"))
			assert.NoFileExists(t, filepath.Join(req.Dir, "c"))
			assert.Equal(t, taxonomy.Some(int64(25)), answer.Usage.InputTokens, "the call counts")

			req.Session = answer.Session
			_, err = s.Call(t.Context(), req)
			require.NoError(t, err, "the conversation is whole")
			sent := strings.Join(sentTo(t, s)[1].outline(), "\n")
			for _, result := range []string{"a=wrote 1 bytes to a", "b=", "c="} {
				assert.Contains(t, sent, result)
			}
		})
	}
}

// guard forbids every file, or fails.
type guard struct{ err error }

func (guard) Mode() string { return "strict" }
func (g guard) Judge(context.Context, []executor.Change) ([]executor.Verdict, error) {
	return []executor.Verdict{executor.Forbidden}, g.err
}

func TestScope(t *testing.T) {
	guarded := toolbox.Options{Guard: guard{}}
	for _, provider := range apis {
		s := open(t, provider, options{tools: guarded}, tool(provider, "write_file", `{"path":".env","content":"x"}`))
		_, err := s.Call(t.Context(), request(t))
		assert.Equal(t, "SCOPE_FORBIDDEN", code(t, err))
		assert.Equal(t, "scope", evidence(t, err).Source, "the guard's evidence is kept")
	}
}

// An error of the taxonomy stays one.
func TestTypedErrorOfAGuard(t *testing.T) {
	typed := errs.NewScopeForbidden([]string{".env"}, "strict")
	guarded := toolbox.Options{Guard: guard{typed}}
	for _, provider := range apis {
		s := open(t, provider, options{tools: guarded}, tool(provider, "write_file", `{"path":".env","content":"x"}`))
		_, err := s.Call(t.Context(), request(t))
		assert.Same(t, typed, err)
	}
}

func TestTurnLimit(t *testing.T) {
	for _, provider := range apis {
		s := open(t, provider, options{turns: 3}, tools(provider, "Looking.", pt.ToolCall{Name: "list_files"}).always())
		answer, err := s.Call(t.Context(), request(t))
		require.NoError(t, err)
		assert.Equal(t, 3, s.count(t))
		assert.Equal(t, "Looking.", answer.Text)
		assert.Equal(t, executor.SignalNone, answer.Signal)
	}
}

func TestNoDirectory(t *testing.T) {
	for _, provider := range apis {
		s := open(t, provider, options{}, tool(provider, "task_done", `{"summary":"It is 4."}`))
		answer, err := s.Call(t.Context(), executor.Request{Prompt: "What is 2+2?"})
		require.NoError(t, err)
		assert.Equal(t, executor.SignalDone, answer.Signal)
		sent := sentTo(t, s)[0]
		assert.Equal(t, []string{"task_done", "task_blocked"}, sent.toolNames())
		assert.NotContains(t, sent.system(), "files")
	}
}

func TestParallelCalls(t *testing.T) {
	for _, provider := range all {
		s := open(t, provider, options{}, text(provider, "hello").always())
		var wg sync.WaitGroup
		for range 8 {
			req := request(t)
			wg.Go(func() {
				answer, err := s.Call(t.Context(), req)
				assert.NoError(t, err)
				req.Session = answer.Session
				_, err = s.Call(t.Context(), req)
				assert.NoError(t, err)
			})
		}
		wg.Wait()
		assert.Equal(t, 16, s.count(t))
	}
}

// sent is a request of either API, as far as the tests read it.
type sent struct {
	Model         string
	Stream        bool
	MaxTokens     int              `json:"max_tokens"`
	CacheControl  *json.RawMessage `json:"cache_control"`
	StreamOptions map[string]bool  `json:"stream_options"`
	System        []struct{ Text string }
	Tools         []struct {
		Name        string
		InputSchema map[string]any `json:"input_schema"`
		Function    struct {
			Name       string
			Parameters map[string]any
		}
	}
	Messages []struct {
		Role       string
		Content    json.RawMessage
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
}

func sentTo(t *testing.T, s *subject) []sent {
	t.Helper()
	var all []sent
	for _, r := range s.server.Requests() {
		var one sent
		require.NoError(t, json.Unmarshal(r.Body, &one), "%s", r.Body)
		all = append(all, one)
	}
	return all
}

func (s sent) toolNames() []string {
	var names []string
	for _, t := range s.Tools {
		names = append(names, t.Name+t.Function.Name)
	}
	return names
}

func (s sent) system() string {
	if len(s.System) > 0 {
		return s.System[0].Text
	}
	return string(s.Messages[0].Content)
}

// outline returns the messages after the system's on one line each: "assistant: text
// name{arguments}", "user: id=result".
func (s sent) outline() []string {
	var lines []string
	for _, m := range s.Messages {
		if m.Role == "system" {
			continue
		}
		line := m.Role + ":"
		var said string
		if json.Unmarshal(m.Content, &said) == nil && said != "" {
			line += " " + strings.TrimPrefix(m.ToolCallID+"="+said, "=")
		}
		for _, c := range m.ToolCalls {
			line += " " + c.Function.Name + orEmpty(c.Function.Arguments)
		}
		var blocks []struct {
			Type, Text, Thinking, Signature, Data, Name string
			Input                                       json.RawMessage
			ToolUseID                                   string `json:"tool_use_id"`
			Content                                     []struct{ Text string }
		}
		_ = json.Unmarshal(m.Content, &blocks) // a text has none
		for _, c := range blocks {
			switch c.Type {
			case "text":
				line += " " + c.Text
			case "tool_use":
				line += " " + c.Name + string(c.Input)
			case "tool_result":
				line += " " + c.ToolUseID + "=" + c.Content[0].Text
			case "thinking":
				line += " (" + c.Thinking + "/" + c.Signature + ")"
			case "redacted_thinking":
				line += " (" + c.Data + ")"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func orEmpty(arguments string) string {
	if arguments == "" {
		return "{}"
	}
	return arguments
}
