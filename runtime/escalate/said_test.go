package escalate

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestEvidenceOf(t *testing.T) {
	all := Report{
		Code: "A", Finding: "count", Context: map[string]string{"reason": "late", "step": "9", "tier": "opus"},
		Retryable: taxonomy.Some(true),
		ExitCode:  taxonomy.Some(1), Details: "it broke", Files: []string{"a"},
	}
	for _, tt := range []struct {
		name string
		rep  Report
		tier taxonomy.Tier
		want taxonomy.Evidence
	}{
		{
			"O18 a tier that classifies", all, taxonomy.Tier{Name: "sonnet", Classifies: true}, taxonomy.Evidence{
				Code: "A", Type: "count", ExitCode: taxonomy.Some(1), Text: "it broke", Files: []string{"a"},
				Attributes: map[string]string{"reason": "late", "step": "2.3", "tier": "sonnet"},
			},
		},
		{
			"O19 one that does not", all, taxonomy.Tier{Name: "haiku"},
			taxonomy.Evidence{Text: "it broke", Attributes: map[string]string{"step": "2.3", "tier": "haiku"}},
		},
		{
			"nothing said", Report{Details: " \n"}, taxonomy.Tier{Name: "haiku"},
			taxonomy.Evidence{Type: "no_report", Text: " \n",
				Attributes: map[string]string{"step": "2.3", "tier": "haiku"}},
		},
		{
			"a label, and no words", Report{Code: "A"}, taxonomy.Tier{Name: "opus", Classifies: true},
			taxonomy.Evidence{Code: "A", Attributes: map[string]string{"step": "2.3", "tier": "opus"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Source, tt.want.Op = "agent", "execute"
			assert.Equal(t, &tt.want, evidenceOf(tt.rep, tt.tier, Execute, "2.3", 1000))
		})
	}
	long := evidenceOf(Report{Details: "begin " + strings.Repeat("x", 5000) + " end"}, taxonomy.Tier{}, Fix, "1", 100)
	assert.Equal(t, "begin "+strings.Repeat("x", 16)+"…\n…"+strings.Repeat("x", 67)+" end", long.Text)
}

// labelled is a taxonomy of three codes, of which agents may name two.
func labelled() *run {
	field := taxonomy.Field{Name: "reason", Enum: []string{"late", "lost"}}
	finding := taxonomy.Field{Name: "finding", Enum: []string{"count", "size"}}
	tax := &taxonomy.Taxonomy{
		Categories: []*taxonomy.Category{
			{
				Name:   "work",
				Fields: []taxonomy.Field{field, finding, {Name: "other", Enum: []string{"x"}}, {Name: "detail"}},
				Codes: []taxonomy.Code{{}, {Value: "BROKEN", Doc: "It broke.", Aliases: []string{"BROKE"}},
					{Value: "ODD"}},
			},
			{Name: "conduct", Codes: []taxonomy.Code{{}, {Value: "DRIFT"}}},
		},
	}
	// The rules: a review finds drift; exit code 127 is odd whoever calls it what; agents may say
	// broken and odd.
	//lint:ignore ST1008 as an executor's classifier
	classify := func(err error, _, _ string) (error, string) {
		var ev *taxonomy.Evidence
		if !errors.As(err, &ev) {
			return err, "none"
		}
		code, why := "", "no rule matches"
		switch exit, _ := ev.ExitCode.Get(); {
		case ev.Source == "review":
			code, why = "DRIFT", "rule DRIFT/1"
		case exit == 127:
			code, why = "ODD", "rule ODD/1"
		case ev.Source == "agent" && (ev.Code == "BROKEN" || ev.Code == "BROKE"):
			code, why = "BROKEN", "rule BROKEN/1"
		case ev.Source == "agent" && ev.Code == "ODD":
			code, why = "ODD", "rule ODD/2"
		}
		context := `{"finding":"` + ev.Type + `","reason":"` + ev.Attribute("reason") + `","other":"x y"}`
		return taxonomy.NewUnknown(tax, taxonomy.Wire{Code: code, Message: "it failed", Context: []byte(context)}), why
	}
	return &run{cfg: &Config{Calls: executor.Config{Table: taxonomy.Table{Taxonomy: tax}, Classify: classify},
		MaxEvidence: 1000}}
}

// B-O03: what an agent may call its failure is what the rules take from an agent.
func TestClaims(t *testing.T) {
	r := labelled()
	reason, finding := choice{"reason", []string{"late", "lost"}}, []string{"count", "size"}
	assert.Equal(t, []claimable{
		{Code: "BROKEN", Category: "work", Doc: "It broke.", Findings: finding, Context: []choice{reason}},
		{Code: "ODD", Category: "work", Findings: finding, Context: []choice{reason}},
	}, r.claims())
	r.cfg.Calls.Classify = nil
	assert.Len(t, r.claims(), 2, "the rules are asked once")
	assert.NotNil(t, findClaims(&taxonomy.Taxonomy{}, nil))
}

// B-O04: a label counts as far as the rules take it, and what is not taken is said.
func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name, label, code, refused string
		ev                         taxonomy.Evidence
	}{
		{"none", "", "", "", taxonomy.Evidence{Source: "agent", Text: "odd"}},
		{"taken", "BROKEN", "BROKEN", "", taxonomy.Evidence{Source: "agent", Code: "BROKEN"}},
		{"a former name", "BROKE", "BROKEN", "", taxonomy.Evidence{Source: "agent", Code: "BROKE"}},
		{"not of the taxonomy", "NEW", "", "there is no such code", taxonomy.Evidence{Source: "agent", Code: "NEW"}},
		{"for reviews only", "DRIFT", "", "no rule takes it from an agent",
			taxonomy.Evidence{Source: "agent", Code: "DRIFT"}},
		{"outranked", "BROKEN", "ODD", "outranked: rule ODD/1",
			taxonomy.Evidence{Source: "agent", Code: "BROKEN", ExitCode: taxonomy.Some(127)}},
		{"a review", "", "DRIFT", "", taxonomy.Evidence{Source: "review"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err, why, refused := labelled().judge(&tt.ev, tt.label)
			assert.Equal(t, tt.code, taxonomy.CodeOf(err))
			assert.NotEmpty(t, why)
			assert.Equal(t, tt.refused, refused)
		})
	}
}

func TestDisagreement(t *testing.T) {
	yes, no := Report{Retryable: taxonomy.Some(true)}, Report{Retryable: taxonomy.Some(false)}
	assert.Empty(t, disagreement(Report{}, true))
	assert.Empty(t, disagreement(yes, true))
	assert.Empty(t, disagreement(no, false))
	assert.Equal(t, "it says that trying again may help; the taxonomy says that it does not", disagreement(yes, false))
	assert.Equal(t, "it says that trying again does not help; the taxonomy says that it may", disagreement(no, true))
}
