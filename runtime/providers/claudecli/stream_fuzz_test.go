package claudecli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// reader returns a call that only reads.
func reader(t *testing.T) *call {
	p, err := New(Options{})
	assert.NoError(t, err)
	return &call{Provider: p, stderr: proc.NewTail(maxStderr), plain: proc.NewTail(maxPlain), linger: func() {},
		req: executor.Request{Progress: func(text string) {
			assert.True(t, utf8.ValidString(text))
			assert.NotContains(t, text, "\n")
			assert.LessOrEqual(t, len(text), maxProgress+len("…"))
		}}}
}

// FuzzStream reads streams that are cut at any place, and gets what it gets from them in one piece.
func FuzzStream(f *testing.F) {
	f.Add([]byte(`{"type":"system","subtype":"init","session_id":"s"}`+"\n"+`{"type":"result","result":"ok"}`), 7)
	f.Add([]byte(`{"type":"assistant","message":{"content":[{"type":"text","text":"a\u0000ü"}]}}`+"\n\n\xff{\n"), 3)
	f.Add([]byte(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":"x"}}`+"\n"+
		`{"type":"result","is_error":true,"result":"API Error: 429 {\"type\":\"error\"}","api_error_status":1e9}`), 1)
	f.Fuzz(func(t *testing.T, stream []byte, at int) {
		whole, pieces := reader(t), reader(t)
		one, many := &lines{line: whole.read}, &lines{line: pieces.read}
		_, _ = one.Write(stream)
		one.Close()
		at = max(1, at%16)
		for piece := range bytesInPieces(stream, at) {
			n, err := many.Write(piece)
			assert.NoError(t, err)
			assert.Len(t, piece, n)
		}
		many.Close()
		assert.Equal(t, whole.result, pieces.result)
		assert.Equal(t, whole.session, pieces.session)
		ev := whole.evidence(proc.Exit{Code: 1}, nil)
		assert.Equal(t, ev, pieces.evidence(proc.Exit{Code: 1}, nil))
		assert.True(t, utf8.ValidString(ev.Text))
		assert.True(t, utf8.ValidString(ev.Output))
		assert.NotEmpty(t, ev.Error())
	})
}

func bytesInPieces(b []byte, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			k := min(n, len(b))
			if !yield(bytes.Clone(b[:k])) {
				return
			}
			b = b[k:]
		}
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, c := range []struct {
		name   string
		writes []string
		want   []string
		skip   int64
	}{
		{"none", nil, nil, 0},
		{"an end is missing", []string{"a\nb"}, []string{"a", "b"}, 0},
		{"in pieces", []string{"a", "b\n", "", "c\nd", "\n"}, []string{"ab", "c", "d"}, 0},
		{"as long as may be", []string{long, "\nb\n"}, []string{long, "b"}, 0},
		{"too long", []string{long, "y", "\nb\n"}, []string{"b"}, 1},
		{"too long in one piece", []string{long + "y\nb\n"}, []string{"b"}, 1},
		{"too long, without an end", []string{"a\n", long, long}, []string{"a"}, 1},
	} {
		var got []string
		l := &lines{line: func(b []byte) { got = append(got, string(b)) }}
		for _, w := range c.writes {
			_, _ = l.Write([]byte(w))
		}
		l.Close()
		assert.Equal(t, len(c.want), len(got), c.name)
		for i := range min(len(c.want), len(got)) {
			assert.True(t, c.want[i] == got[i], "%s: line %d", c.name, i)
		}
		assert.Equal(t, c.skip, l.skipped, c.name)
		assert.LessOrEqual(t, cap(l.buf), maxLine, c.name)
	}
}

func TestVerdict(t *testing.T) {
	result := func(verdict, text string) string { return `{"type":"result",` + verdict + `"result":"` + text + `"}` }
	good, bad, none := result(`"is_error":false,`, "good"), result(`"is_error":true,`, "bad"), result("", "none")
	for _, c := range []struct {
		name, stream, text string
		want               verdict
	}{
		{"success", good, "good", succeeded},
		{"failure", bad, "bad", erred},
		{"missing", none, "none", unsaid},
		{"null", result(`"is_error":null,`, "x"), "x", unclear},
		{"a text", result(`"is_error":"true",`, "x"), "x", erred},
		{"another text", result(`"is_error":"false",`, "x"), "x", unclear},
		{"a number", result(`"is_error":0,`, "x"), "x", unclear},
		{"an object", result(`"is_error":{"a":1},`, "x"), "x", unclear},
		{"twice in one result", result(`"is_error":true,"is_error":false,`, "x"), "x", erred},
		{"in other letters", result(`"is_error":true,"IS_ERROR":false,`, "x"), "x", erred},
		{"success twice", good + "\n" + result(`"is_error":false,`, "better"), "better", succeeded},
		{"failure last", good + "\n" + bad, "bad", erred},
		{"failure first", bad + "\n" + good, "bad", erred},
		{"failure twice", bad + "\n" + result(`"is_error":true,`, "worse"), "worse", erred},
		{"unclear last", good + "\n" + none, "none", unsaid},
		{"unclear first", none + "\n" + good, "none", unsaid},
		{"unclear, failure, success", none + "\n" + bad + "\n" + good, "bad", erred},
		{"other things behind it", good + "\n" + `{"type":"assistant","error":"unknown"}` + "\n{\nnoise", "good",
			succeeded},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ended := reader(t), 0
			r.linger = func() { ended++ }
			in := &lines{line: r.read}
			_, _ = in.Write([]byte(c.stream))
			in.Close()
			assert.Equal(t, c.want, r.result.Verdict)
			assert.Equal(t, c.text, r.result.Result)
			assert.Equal(t, 1, ended, "the process has its time from the first result on")
			err := r.outcome(t.Context(), proc.Exit{}, nil, 0)
			if c.want == succeeded {
				assert.NoError(t, err)
				return
			}
			var ev *taxonomy.Evidence
			assert.ErrorAs(t, err, &ev)
			if c.want != erred {
				assert.Equal(t, "stream", ev.Type)
				assert.Equal(t, "the result does not say whether the call failed", ev.Text)
			}
			assert.Empty(t, r.answer(false).Text)
		})
	}
}

func TestResultsAddUp(t *testing.T) {
	r := reader(t)
	r.read([]byte(
		`{"type":"result","is_error":true,"result":"bad","total_cost_usd":1,` +
			`"permission_denials":[{"tool_name":"Bash"}]}`))
	r.read([]byte(`{"type":"result","is_error":false,"result":"good","total_cost_usd":2}`))
	assert.Equal(t, "bad", r.result.Result)
	assert.Equal(t, taxonomy.Some(2.0), r.answer(false).Usage.CostUSD)
	r = reader(t)
	r.read([]byte(`{"type":"result","is_error":false,"permission_denials":[{"tool_name":"Bash"}]}`))
	r.read([]byte(`{"type":"result","is_error":false}`))
	assert.Len(t, r.result.Denials, 1)
}

func TestUsageThatIsNotSaidInFull(t *testing.T) {
	for line, want := range map[string]executor.Usage{
		`{"type":"result"}`: {},
		`{"type":"result","usage":null,"total_cost_usd":null}`:       {},
		`{"type":"result","usage":{}}`:                               {},
		`{"type":"result","usage":{"input_tokens":"x"}}`:             {},
		`{"type":"result","usage":{"output_tokens":7}}`:              {OutputTokens: taxonomy.Some[int64](7)},
		`{"type":"result","usage":{"input_tokens":0}}`:               {InputTokens: taxonomy.Some[int64](0)},
		`{"type":"result","is_error":true,"total_cost_usd":0.125}`:   {CostUSD: taxonomy.Some(0.125)},
		`{"type":"result","is_error":true,"total_cost_usd":"0.125"}`: {},
	} {
		r := reader(t)
		r.read([]byte(line))
		assert.Equal(t, want, r.answer(false).Usage, line)
	}
}

func TestReset(t *testing.T) {
	for _, c := range []struct {
		at   string
		want time.Time
	}{
		{"1772366400", time.Unix(1772366400, 0)},
		{"1772366400000", time.UnixMilli(1772366400000)},
		{"1772366400.5", time.UnixMilli(1772366400500)},
		{"", time.Time{}},
		{"0", time.Time{}},
		{"-5", time.Time{}},
		{"NaN", time.Time{}},
		{"-1e400", time.Time{}},
		{"1e300", time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)},
		{"1e400", time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)},
	} {
		limit := rateLimit{Status: "rejected", ResetsAt: json.Number(c.at)}
		assert.True(t, c.want.Equal(limit.reset()), c.at)
	}
}

// TestIdleLinesAreNotRead has lines passed over that say nothing, and none that does.
func TestIdleLinesAreNotRead(t *testing.T) {
	c := reader(t)
	c.read([]byte(`{"type":"user","session_id":"s-1"}`))
	assert.Equal(t, "s-1", c.session, "before the session is known every line may name it")
	for _, line := range []string{`{"type":"user","session_id":"s-2"}`, `{"type":"stream_event","session_id":"s-2"}`,
		`{"type":"user`} {
		c.read([]byte(line))
		assert.Equal(t, "s-1", c.session, line)
	}
	c.read([]byte(`{"type":"user_note","session_id":"s-3"}`))
	assert.Equal(t, "s-3", c.session)
	c.read([]byte(`{"type":"result","result":"ok"}`))
	assert.Equal(t, "ok", c.result.Result)
}
