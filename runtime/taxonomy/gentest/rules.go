package gentest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/tabletext"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Example is evidence with the expected results: the rule that wins (empty: the fallback), the
// branch and the context of the error.
type Example struct {
	declared bool // whether the function Examples returns it
	rule     string
	when     int
	context  string
	evidence taxonomy.Evidence
}

// NewExample returns an [Example] that the function Examples of the package returns. The branch is
// the one that the context selects; 0 means none.
func NewExample(rule string, when int, context string, evidence taxonomy.Evidence) Example {
	return Example{true, rule, when, context, evidence}
}

// NewEvidence returns an [Example] that the function Examples does not return.
func NewEvidence(rule string, when int, context string, evidence taxonomy.Evidence) Example {
	return Example{false, rule, when, context, evidence}
}

// String returns the rule and the evidence.
func (x Example) String() string { return fmt.Sprintf("%s of %+v", x.rule, x.evidence) }

// checkRules checks the rules of a code, which are in order: "PROVIDER_CRASH/1: exit_code 0".
func (p *Package) checkRules(t *testing.T, want []string) {
	rules := p.Rules()
	for i, text := range want {
		name, _, _ := strings.Cut(text, ": ")
		if assert.True(t, p.rules[name], "no rule %s", name) {
			assert.Equal(t, text, name+": "+tabletext.Rule(rules, name))
		}
		if i+1 == len(want) {
			more := p.rules[fmt.Sprintf("%s/%d", name[:strings.LastIndexByte(name, '/')], i+2)]
			assert.False(t, more, "more rules than %s", text)
		}
	}
}

// checkExamples checks the examples that the package returns for a code.
func (p *Package) checkExamples(t *testing.T, code string, examples []Example) {
	var want, got []taxonomy.Evidence
	for _, x := range examples {
		if x.declared {
			want = append(want, x.evidence)
		}
	}
	for _, x := range p.Examples() {
		if x.Code == code {
			got = append(got, x.Evidence)
		}
	}
	require.Len(t, got, len(want), "the examples of %s", code)
	for i := range got {
		assert.ErrorIs(t, want[i].Err, got[i].Err)
		want[i].Err, got[i].Err = nil, nil
	}
	assert.Equal(t, want, got, "the examples of %s", code)
}

// checkExample classifies evidence with each function of the package, and returns the error.
func (p *Package) checkExample(t *testing.T, x Example) taxonomy.Error {
	ev := x.evidence
	explained := p.Explain(&ev)
	rule := ""
	if explained.Rule != nil {
		rule = explained.Rule.Name
	}
	assert.Equal(t, x.rule, rule, "rule of %+v\n%s", ev, explained)
	bare := ev
	bare.Source, bare.Op = "", ""
	opts := []detect.Option{detect.WithSource(taxonomy.SourceName(ev.Source)), detect.WithOp(taxonomy.OpName(ev.Op))}
	classified := []error{explained.Err, p.Classify(&ev), p.ClassifyEvidence(&ev)}
	if bare.IsZero() {
		assert.NoError(t, p.ClassifyEvidence(&bare, opts...))
	} else {
		classified = append(classified, p.Explain(&bare, opts...).Err, p.Classify(&bare, opts...),
			p.ClassifyEvidence(&bare, opts...))
	}
	var made taxonomy.Error
	for _, err := range classified {
		require.ErrorAs(t, err, &made)
		assert.Equal(t, x.context, string(made.AppendContext(nil)), "context of %s", x)
		assert.Equal(t, ev.Err, made.Unwrap(), "cause of %s", x)
	}
	assert.Equal(t, x.evidence, ev, "the evidence is unchanged")
	return made
}

// checkClassifying checks that some errors are returned unchanged, and that each function uses its
// options.
func (p *Package) checkClassifying(t *testing.T) {
	rules := p.Rules()
	for _, r := range rules.Rules {
		for _, c := range r.Conditions {
			for _, name := range c.Any {
				if c.Key == detect.Is || c.Key == detect.As {
					assert.False(t, rules.Is(Cause, name), name)
				}
			}
		}
	}
	if rules.Is != nil {
		assert.False(t, rules.Is(Cause, "no such name"))
	}
	if p.Table.Taxonomy.Fallback == "" {
		made := rules.Make(detect.NoRule, &taxonomy.Evidence{Text: "some text", Err: Cause})
		assert.IsType(t, &taxonomy.Unknown{}, made)
		assert.Equal(t, Cause, made.Unwrap())
		assert.Equal(t, p.UnknownPermanent, p.row(made))
	}
	assert.NoError(t, p.Classify(nil))
	assert.NoError(t, p.ClassifyEvidence(nil))
	assert.NoError(t, p.ClassifyEvidence(&taxonomy.Evidence{}))
	assert.NoError(t, p.Explain(nil).Err)
	cancelled := fmt.Errorf("wrapped: %w", context.Canceled)
	assert.Equal(t, cancelled, p.Classify(cancelled))
	assert.ErrorIs(t, p.ClassifyEvidence(&taxonomy.Evidence{Err: cancelled}), cancelled)
	assert.Equal(t, cancelled, p.Explain(cancelled).Err)

	for _, ev := range []taxonomy.Evidence{{Source: "some source"}, {Text: "some text"}} {
		assert.Equal(t, untraced(p.Explain(&ev).Err), untraced(p.Classify(&ev)))
		assert.Equal(t, untraced(p.Explain(&ev).Err), untraced(p.ClassifyEvidence(&ev)))
		var record recorder
		opts := []detect.Option{
			detect.WithSource(taxonomy.SourceName("some source")), detect.OnUnmatched(&record),
			detect.WithTable(stackTable),
		}
		explained := p.Explain(&ev, opts...)
		assert.Equal(t, "some source", explained.Evidence.Source)
		for _, err := range []error{explained.Err, p.Classify(&ev, opts...), p.ClassifyEvidence(&ev, opts...)} {
			assert.IsType(t, (*taxonomy.Traced)(nil), err, "the options are used")
		}
		assert.Equal(t, explained.Rule == nil, record == 2, "the options are used")
	}
}

// stackTable makes errors record a stack.
var stackTable = taxonomy.Table{Overlay: &taxonomy.Profile{Reporting: taxonomy.Reporting{Stack: true}}}

// untraced returns err without the stack that was recorded with it.
func untraced(err error) error {
	if traced, ok := err.(*taxonomy.Traced); ok {
		return traced.Unwrap()
	}
	return err
}

// recorder counts unmatched evidence.
type recorder int

func (r *recorder) Record(*taxonomy.Evidence) error {
	*r++
	return nil
}
