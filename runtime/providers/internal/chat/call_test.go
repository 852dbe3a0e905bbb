package chat

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func host() *Host[string] {
	return &Host[string]{Source: wire.Source{Name: "api", Credential: "api:1", Clock: retry.System}}
}

func begin(t *testing.T, h *Host[string], req executor.Request) *Call[string] {
	t.Helper()
	before, known := h.Before(req)
	require.True(t, known)
	c, err := h.Begin(t.Context(), req, before, said(req.Prompt))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Tools.Close()) })
	return c
}

func TestConversationGoesOn(t *testing.T) {
	h := host()
	req := executor.Request{Prompt: "1", Dir: t.TempDir()}
	c := begin(t, h, req)
	c.Add()
	assert.Empty(t, h.End(c), "a call that added nothing begins no conversation")
	c.Add(said("one"))
	req.Session, req.Prompt = h.End(c), "2"
	require.NotEmpty(t, req.Session)

	c = begin(t, h, req)
	assert.Equal(t, []string{"1", "one", "2"}, c.Messages.Params())
	assert.Equal(t, req.Session, h.End(c))
	c = begin(t, h, req)
	assert.Equal(t, []string{"1", "one", "2"}, c.Messages.Params(), "a call that added nothing leaves it as it was")
	c.Add(ofTool("asks"), ofTool("gets"))
	assert.Equal(t, req.Session, h.End(c))
	before, _ := h.Before(req)
	assert.Equal(t, []string{"1", "one", "2", "asks", "gets"}, before.Params())

	_, known := h.Before(executor.Request{Session: "of another process"})
	assert.False(t, known)
}

func TestSystem(t *testing.T) {
	in := begin(t, host(), executor.Request{Dir: t.TempDir()})
	out := begin(t, host(), executor.Request{})
	assert.Equal(t, "files", in.System("files", "files"))
	assert.Equal(t, PlainSystem, out.System("files", "files"))
	assert.Equal(t, "mine", out.System("mine", "files"))
}

func TestBeginSaysWhatIsWrong(t *testing.T) {
	_, err := host().Begin(t.Context(), executor.Request{Dir: filepath.Join(t.TempDir(), "none")}, nil, said("x"))
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	assert.Equal(t, []string{"api", "call", "api:1", "ENOENT"}, []string{ev.Source, ev.Op, ev.Credential, ev.Errno})
}

func TestCarryOut(t *testing.T) {
	write := func(path string) Use { return Use{"write_file", `{"path":"` + path + `","content":"x"}`} }
	for _, c := range []struct {
		what   string
		uses   []Use
		done   []string
		told   []string
		signal executor.Signal
		err    string
	}{
		{"nothing", nil, nil, nil, executor.SignalNone, ""},
		{"all", []Use{write("a"), {"none", ""}, write("b")},
			[]string{"wrote 1 bytes to a", `there is no tool "none"`, "wrote 1 bytes to b"},
			[]string{"write_file a", "none", "write_file b"}, executor.SignalNone, ""},
		{"up to the end of the task", []Use{{"task_done", `{"summary":"ready"}`}, write("late")}, []string{"ready"},
			[]string{"task_done"}, executor.SignalDone, ""},
		{"up to a failure", []Use{write("a"), {"write_file", `{"path":`}, write("late")},
			[]string{"wrote 1 bytes to a", ""}, []string{"write_file a", "write_file"}, executor.SignalNone,
			"tool_arguments"},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := t.TempDir()
			var told, texts []string
			results, err := begin(t, host(), executor.Request{Dir: dir}).
				CarryOut(t.Context(), c.uses, func(label string) { told = append(told, label) })
			signal := executor.SignalNone
			for _, r := range results {
				texts, signal = append(texts, r.Text), r.Signal
			}
			assert.Equal(t, c.done, texts)
			assert.Equal(t, c.told, told)
			assert.Equal(t, c.signal, signal)
			assert.NoFileExists(t, filepath.Join(dir, "late"))
			if c.err == "" {
				assert.NoError(t, err)
				return
			}
			var ev *taxonomy.Evidence
			require.ErrorAs(t, err, &ev)
			assert.Equal(t, c.err, ev.Type)
		})
	}
}

func TestToolAfterTheDeadline(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(context.DeadlineExceeded)
	results, err := begin(t, host(), executor.Request{Dir: t.TempDir()}).
		CarryOut(ctx, []Use{{"list_files", "{}"}, {"list_files", "{}"}}, func(string) {})
	assert.Len(t, results, 1)
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	assert.Equal(t, []string{"api", "call", "timeout"}, []string{ev.Source, ev.Op, ev.Type})
}
