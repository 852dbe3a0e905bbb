package breaking_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/summary"
)

// The programs that a change concerns handle its code in one of the eight ways.
func TestConsumers(t *testing.T) {
	const released = `
domain: pay.example.com
reactions: {again: {action: retry}}
groups: {money: m}
operations: {Pay: {http: POST /pay, errors: [REFUSED]}}
categories:
  pay:
    audience: public
    codes:
      CARD: {abstract: true, doc: c, codes: {REFUSED: {message: r, http: 402, aliases: [NO_CARD]}}}
      BUSY: {message: b, retryable: true, reaction: again}
      UNUSED: {message: u}
      SIZED: {message: s, fields: {size: {type: int}}}
      DECLINED: {message: d, groups: [money]}
  other: {codes: {BROKEN: {message: x}}}`
	program := &summary.Uses{
		Version: summary.UsesVersion, Module: "till.example.com", Commit: "0123456789abcdef",
		Domains: map[string]string{"till.example.com/errs": "pay.example.com", "till.example.com/own": "till"},
	}
	use := func(code string, how summary.How, at string) {
		program.Uses = append(program.Uses, summary.Use{Package: "till.example.com/errs", Code: code, How: how, At: at})
	}
	use("NO_CARD", summary.ByCode, "a.go:1")
	use("REFUSED", summary.ByDefault, "a.go:1")
	use("REFUSED", summary.ByParent, "b.go:2")
	use("BUSY", summary.ByRetryable, "c.go:3")
	use("BUSY", summary.ByReaction, "c.go:4")
	use("BROKEN", summary.ByType, "d.go:5")
	use("BROKEN", summary.ByCategory, "d.go:6")
	use("BROKEN", summary.ByGroup, "d.go:7")
	use("SIZED", summary.ByType, "e.go:8")
	use("DECLINED", summary.ByCode, "f.go:9")
	program.Uses = append(program.Uses,
		summary.Use{Package: "till.example.com/own", Code: "UNUSED", How: summary.ByCode, At: "own.go:8"})

	const by = "till.example.com@01234567 handles it at "
	for name, tt := range map[string]struct{ old, new, want string }{
		"status":  {"http: 402", "http: 403", by + "a.go:1 (code, default), b.go:2 (parent)"},
		"message": {"BUSY: {message: b", "BUSY: {message: new", by + "c.go:3 (retryable), c.go:4 (reaction)"},
		"removed": {"other: {codes: {BROKEN:", "other: {codes: {FIXED:",
			by + "d.go:5 (type), d.go:6 (category), d.go:7 (group)"},
		"unused":   {"UNUSED: {message: u", "UNUSED: {message: new", "nobody handles it"},
		"new code": {"errors: [REFUSED]", "errors: [REFUSED, BUSY]", by + "c.go:3 (retryable), c.go:4 (reaction)"},
		"operation": {"Pay: {http: POST /pay,", "Pay: {http: POST /paid,",
			by + "a.go:1 (code, default), b.go:2 (parent)"},
		"reaction": {"action: retry", "action: abort", by + "c.go:3 (retryable), c.go:4 (reaction)"},
		"domain": {"domain: pay.", "domain: paid.", by + "a.go:1 (code, default), b.go:2 (parent), " +
			"c.go:3 (retryable), c.go:4 (reaction), d.go:5 (type), d.go:6 (category), 3 more"},
		"renamed field": {"{size: {type: int}}", "{length: {type: int}}", by + "e.go:8 (type)"},
		"removed group": {"groups: {money: m}\n", "", by + "f.go:9 (code)"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(released, tt.old, tt.new, 1)
			require.NotEqual(t, released, changed)
			if name == "removed group" {
				changed = strings.Replace(changed, ", groups: [money]", "", 1)
			}
			old, now := parse("old.yaml", whole(released)), parse("new.yaml", whole(changed))
			changes := breaking.Compare(old, now)
			require.NotEmpty(t, changes)
			breaking.AddConsumers(changes, old, now, []*summary.Uses{program})
			assert.True(t, strings.HasSuffix(changes[0].Message, "; "+tt.want), changes[0].Message)
			assert.Equal(t, tt.want == "nobody handles it", len(changes[0].Consumers) == 0)
		})
	}
}
