package detect_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestExplain(t *testing.T) {
	r := mailRules()
	own := &mailError{code: 1, text: "x"}
	for _, c := range []struct {
		name      string
		raw       any
		outcome   detect.Outcome
		rule      string
		runnersUp []string
		missing   []string
		text      string
		json      string
	}{
		{
			name: "a rule, and others", outcome: detect.Matched, rule: "BOUNCED/2",
			runnersUp: []string{"GREYLISTED/1", "BOUNCED/3"},
			raw: taxonomy.Evidence{Source: "smtp", Text: "mailbox bob is full, try again",
				Attributes: map[string]string{"recipient": "bob", "size": "big"}},
			missing: []string{"size"},
			text: `BOUNCED (delivery): bounced: mailbox bob is full, try again
  rule          BOUNCED/2 {text: '(?i)mailbox \w+ is full'}
  also matched  GREYLISTED/1 {text: '(?i)try again'}
  also matched  BOUNCED/3
  missing       size
  evidence      smtp: mailbox bob is full, try again`,
			json: `{"outcome":"matched","code":"BOUNCED","category":"delivery","message":"bounced: mailbox bob is full, try again","error":{"code":"BOUNCED"},
				"rule":{"name":"BOUNCED/2","rule":"{text: '(?i)mailbox \\w+ is full'}"},
				"runners_up":[{"name":"GREYLISTED/1","rule":"{text: '(?i)try again'}"},{"name":"BOUNCED/3"}],"missing":["size"],
				"evidence":{"source":"smtp","text":"mailbox bob is full, try again","attributes":{"recipient":"bob","size":"big"}}}`,
		},
		{
			name: "a status that was read out of the text", outcome: detect.Matched, rule: "GREYLISTED/1",
			runnersUp: []string{"BOUNCED/1"},
			raw:       "550\ntry again\nsoon",
			text: `GREYLISTED (delivery): greylisted: 550 try again soon
  rule          GREYLISTED/1 {text: '(?i)try again'}
  also matched  BOUNCED/1 {status: 550}
  evidence      status 550: 550
  status        550, read out of the text`,
			json: `{"outcome":"matched","code":"GREYLISTED","category":"delivery","message":"greylisted: 550\ntry again\nsoon","error":{"code":"GREYLISTED"},
				"rule":{"name":"GREYLISTED/1","rule":"{text: '(?i)try again'}"},"runners_up":[{"name":"BOUNCED/1","rule":"{status: 550}"}],
				"evidence":{"status":550,"status_derived":true,"text":"550\ntry again\nsoon"}}`,
		},
		{
			name: "no rule", outcome: detect.Fallback, missing: []string{"kind"},
			raw: taxonomy.Evidence{Type: "C", Text: "key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"},
			text: `OTHER (delivery): other: key [REDACTED]
  rule          none: no rule matches
  missing       kind
  evidence      C: key [REDACTED]`,
			json: `{"outcome":"fallback","code":"OTHER","category":"delivery","message":"other: key [REDACTED]","error":{"code":"OTHER"},"missing":["kind"],
				"evidence":{"type":"C","text":"key [REDACTED]"}}`,
		},
		{
			name: "no rule, with what the fallback needs", outcome: detect.Fallback, raw: taxonomy.Evidence{Type: "B"},
			text: "OTHER (delivery): other: \n  rule          none: no rule matches\n  evidence      B",
			json: `{"outcome":"fallback","code":"OTHER","category":"delivery","message":"other: ",` +
				`"error":{"code":"OTHER"},"evidence":{"type":"B"}}`,
		},
		{
			name: "nothing", outcome: detect.NoError,
			text: "  rule          none: there is no error",
			json: `{"outcome":"nothing"}`,
		},
		{
			name: "a cancelled context", raw: context.Canceled, outcome: detect.Cancelled,
			text: "context canceled\n  rule          none: a cancelled context is not classified",
			json: `{"outcome":"cancelled","message":"context canceled"}`,
		},
		{
			name: "an error of the taxonomy", raw: own, outcome: detect.AlreadyTyped,
			text: "GREYLISTED (delivery): greylisted: x\n  rule          none: it is an error of the taxonomy already",
			json: `{"outcome":"passed","code":"GREYLISTED","category":"delivery","message":"greylisted: x",` +
				`"error":{"code":"GREYLISTED"}}`,
		},
	} {
		e := r.Explain(c.raw, nil)
		assert.Equal(t, c.outcome, e.Outcome, c.name)
		rule := ""
		if e.Rule != nil {
			rule = e.Rule.Name
		}
		assert.Equal(t, c.rule, rule, c.name)
		var runnersUp []string
		for _, r := range e.RunnersUp {
			runnersUp = append(runnersUp, r.Name)
		}
		assert.Equal(t, c.runnersUp, runnersUp, c.name)
		assert.Equal(t, c.missing, e.Missing, c.name)
		assert.Equal(t, c.text, e.String(), c.name)
		b, err := json.Marshal(e)
		require.NoError(t, err, c.name)
		assert.JSONEq(t, c.json, string(b), c.name)
		assert.Equal(t, r.Classify(c.raw, nil), e.Err, c.name)
	}
}

func TestExplainAgreesWithMatch(t *testing.T) {
	r := textRules(append(patterns(300), `x*`)...)
	r.Taxonomy = &mail
	r.Make = func(rule int, ev *taxonomy.Evidence) taxonomy.Error { return &mailError{text: ev.Text} }
	for _, text := range []string{"panic: SyntaxError: undefined: x", log(5000), "", "di\u017f\u212a"} {
		ev := taxonomy.Evidence{Text: text}
		e := r.Explain(ev, nil)
		if rule := r.Match(&ev, nil); rule == detect.NoRule {
			assert.Nil(t, e.Rule, text)
		} else {
			assert.Same(t, &r.Rules[rule], e.Rule, text)
		}
	}
	e := r.Explain("panic: SyntaxError: undefined: x", nil)
	assert.Len(t, e.RunnersUp, 3)
}

func TestExplanationOfManyRules(t *testing.T) {
	e := detect.Explanation{Outcome: detect.Matched, Err: &mailError{}, Rule: &detect.Rule{Name: "A/1"}}
	for range 8 {
		e.RunnersUp = append(e.RunnersUp, &detect.Rule{Name: "B/1", Doc: "{text: \"\\n\"}\x1b[31m"})
	}
	assert.Contains(t, e.String(), "also matched  and 3 more")
	assert.NotContains(t, e.String(), "\x1b")
}

func TestOutcomes(t *testing.T) {
	for o, want := range map[detect.Outcome]string{
		detect.NoError: "nothing", detect.Cancelled: "cancelled", detect.AlreadyTyped: "passed",
		detect.Matched:  "matched",
		detect.Fallback: "fallback", 9: "Outcome(9)",
	} {
		assert.Equal(t, want, o.String())
	}
}
