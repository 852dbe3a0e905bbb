package suggest_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/suggest"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// pasted returns a taxonomy into which proposals were pasted as they are, with what they say is to
// be declared.
func pasted(r *suggest.Result) []byte {
	var b bytes.Buffer
	b.WriteString("errgen: 1\npackage: errs\n")
	text := string(r.YAML())
	if _, declared, ok := strings.Cut(text, "# To declare:\n"); ok {
		for line := range strings.Lines(declared) {
			if strings.HasPrefix(line, "#   ") {
				b.WriteString(line[4:])
			} else if line != "# To declare:\n" {
				break
			}
		}
	}
	b.WriteString("categories:\n  work:\n    codes:\n      OTHER: {message: other}\n" + text)
	return b.Bytes()
}

// loads wants a taxonomy without errors.
func loads(t *testing.T, src []byte) {
	t.Helper()
	m, findings := check.Load("taxonomy.yaml", src)
	if m == nil {
		var b bytes.Buffer
		require.NoError(
			t, diag.Print(
				&b, diag.FormatText,
				diag.FileFindings{Source: diag.NewSource("taxonomy.yaml", src), Findings: findings}))
		require.Fail(t, "does not load", "%s\n%s", b.String(), src)
	}
}

// TestProposalsLoad pastes proposals for evidence of every kind into a taxonomy, and counts the
// entries.
func TestProposalsLoad(t *testing.T) {
	texts := []string{
		"", "failed", "it failed: 'a'", "fatal: it failed", "usage limit reached|1699999999",
		"\x1b[31merror\x1b[0m\x00", "{x} [y] {{z}}",
		"503 Service Unavailable", "HTTP 429: slow down", "no: yes # &a *b", "\"quoted\" `all` 'over'", "Straße ſ K",
	}
	g := suggest.NewGroups()
	n := 0
	for _, source := range []string{"", "cli", "api", "on", "{s}", "a b"} {
		for _, text := range texts {
			for _, ev := range []taxonomy.Evidence{
				{}, {Status: 500}, {Status: 503}, {Status: 999}, {Type: "overloaded_error"},
				{Type: "overloaded_error", Code: "08006"}, {Errno: "ENOSPC"},
				{Errno: "ENONE"}, {Signal: "SIGIOT"}, {ExitCode: taxonomy.Some(1)}, {ExitCode: taxonomy.Some(-1)},
				{Op: "push"}, {Op: "no"}, {Op: "a b"},
			} {
				ev.Source, ev.Text = source, text
				g.Add(detect.Entry{Time: time.Unix(int64(n), 0), Evidence: ev})
				n++
			}
		}
	}
	r := g.Propose(suggest.Options{})
	loads(t, pasted(r))
	assert.Equal(t, r.YAML(), g.Propose(suggest.Options{}).YAML())
	got := 0
	for _, p := range r.Proposals {
		got += p.Count
	}
	for _, l := range r.Left {
		assert.NotContains(t, strings.Replace(l.Why, "[E-example]", "", 1), "[E-")
		got += l.Count
	}
	assert.Equal(t, n, got)
}

func TestManyGroups(t *testing.T) {
	g := suggest.NewGroups()
	for i := range 1500 {
		g.Add(detect.Entry{Evidence: taxonomy.Evidence{Source: "cli", Type: fmt.Sprintf("type-%d", i)}})
	}
	r := g.Propose(suggest.Options{})
	assert.Len(t, r.Proposals, 1000)
	assert.Equal(t, []suggest.Left{{Count: 500, Why: "too many groups"}}, r.Left)
	loads(t, pasted(r))
}

func FuzzPropose(f *testing.F) {
	f.Add("cli", "overloaded_error", "23505", "usage limit 'x' reached", "failed: 12", 529)
	f.Add("a b", "yes", "\x00", "\x1b[31m\xff\u202e", "{x} [[y]] # \"", 0)
	f.Add("no", "", "", "could not fail", "not fail", -1)
	f.Add("", "", "", "HTTP 503: lost", "HTTP 503", 503)
	f.Fuzz(func(t *testing.T, source, kind, code, text, other string, status int) {
		g := suggest.NewGroups()
		for _, ev := range []taxonomy.Evidence{
			{Source: source, Type: kind, Code: code, Text: text, Status: status}, {Source: source, Text: text},
			{Source: source, Text: other, Op: kind},
			{Source: source, Text: text + other}, {Source: source, Text: other + "\n" + text, Errno: code},
			{Text: other, Status: status},
		} {
			g.Add(detect.Entry{Evidence: ev})
		}
		r := g.Propose(suggest.Options{})
		loads(t, pasted(r))
		for _, l := range r.Left {
			assert.NotContains(t, strings.Replace(l.Why, "[E-example]", "", 1), "[E-")
		}
	})
}
