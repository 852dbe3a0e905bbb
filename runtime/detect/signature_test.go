package detect_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/prefilter"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// shop has rules on two signatures: a quota is more specific than a limit.
func shop(t *testing.T) *detect.Rules {
	t.Helper()
	leads := []string{`(?:error: )`, `\d+`}
	pack := func(expr string, lead uint8) detect.Patterns {
		p, err := prefilter.Pattern(expr)
		require.NoError(t, err)
		p.Lead = lead
		return prefilter.Pack([]detect.Pattern{p}, leads)
	}
	limit := &detect.Signature{Name: "limit", Any: []detect.Form{
		{Conditions: []detect.Condition{{Key: detect.Status, AnyNumber: []int{429}}}},
		{Text: pack(`limit of \d+`, 1)},
	}, Extract: []detect.Extract{
		{Attribute: "limit", Text: []string{`none (x)`, `limit of (\d+)`}},
		{Attribute: "wait", Text: []string{`wait (\S+ ?\w*)`}},
	}}
	quota := &detect.Signature{Name: "quota", Over: []string{"limit"}, Any: []detect.Form{{Text: pack(`quota`, 0)}}}
	d := &detect.Detection{
		Taxonomy: &taxonomy.Taxonomy{Categories: []*taxonomy.Category{
			{Codes: []taxonomy.Code{{}, {Value: "A"}, {Value: "B"}}},
		}},
		Leads: leads,
		Categories: [][][]detect.CodeRule{{nil,
			{{Doc: "like: limit", Like: []*detect.Signature{limit}}},
			{{Doc: "like: quota", Like: []*detect.Signature{quota}},
				{Priority: -1, Like: []*detect.Signature{limit},
					Contains: []detect.Pattern{prefilter.PlainPattern("shop")}}},
		}},
	}
	rules := d.Rules()
	made := taxonomy.NewUnknown(d.Taxonomy, taxonomy.Wire{})
	rules.Make = func(int, *taxonomy.Evidence) taxonomy.Error { return made }
	return rules
}

func TestSignatures(t *testing.T) {
	rules := shop(t)
	for _, tt := range []struct {
		name, text string
		status     int
		rule       string
		also       []string
		matched    string
		attributes map[string]string
	}{
		{"a status", "", 429, "A/1", nil, "", nil},
		{"a text behind its lead", "at 9\nerror: limit of 30, wait 5 seconds\n", 0, "A/1", nil,
			"error: limit of 30, wait 5 seconds", map[string]string{"limit": "30", "wait": "5s"}},
		{"a text without its lead", "the limit of 30", 0, "", nil, "", nil},
		{"the more specific signature, with a status", "the quota", 429, "B/1", []string{"A/1"}, "the quota", nil},
		{"two forms of one rule", "error: limit of 30", 429, "A/1", nil, "", map[string]string{"limit": "30"}},
		{"with a text of the rule", "error: limit of 30 in the shop", 0, "A/1", []string{"B/2"},
			"error: limit of 30 in the shop", map[string]string{"limit": "30"}},
		{"a secret", "error: limit of 30 for sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789", 0, "A/1", nil,
			"error: limit of 30 for [REDACTED]", map[string]string{"limit": "30"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ev := taxonomy.Evidence{Status: tt.status, Text: tt.text}
			e := rules.Explain(&ev, nil)
			if tt.rule == "" {
				assert.Nil(t, e.Rule)
				return
			}
			require.NotNil(t, e.Rule)
			assert.Equal(t, tt.rule, e.Rule.Name)
			var also []string
			for _, r := range e.RunnersUp {
				also = append(also, r.Name)
			}
			assert.Equal(t, tt.also, also)
			assert.Equal(t, tt.matched, e.Matched)
			assert.Equal(t, tt.attributes, e.Evidence.Attributes)
			assert.Nil(t, ev.Attributes, "the evidence is unchanged")
			var room taxonomy.Evidence
			rule, as, err := rules.Decide(&ev, &room, nil)
			require.NoError(t, err)
			assert.Equal(t, tt.rule, rules.Rules[rule].Name)
			assert.Equal(t, tt.attributes, as.Attributes)
			b, err := json.Marshal(e)
			require.NoError(t, err)
			assert.Contains(t, string(b), `"like":"`+e.Rule.Like.Name+`"`)
		})
	}
	ev := taxonomy.Evidence{Status: 429, Text: "limit of 30", Attributes: map[string]string{"limit": "7"}}
	assert.Equal(t, "7", rules.Explain(&ev, nil).Evidence.Attributes["limit"], "attributes are not replaced")
	off := detect.WithTable(taxonomy.Table{Overlay: &taxonomy.Profile{Detection: taxonomy.Detection{Text: false}}})
	assert.Nil(t, rules.Explain(&taxonomy.Evidence{Status: 429, Text: "limit of 30"}, []detect.Option{off}).
		Evidence.Attributes, "a text that is not searched")
}
