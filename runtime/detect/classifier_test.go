package detect_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestClassifier(t *testing.T) {
	own := errs.Classify(taxonomy.Evidence{Source: "git", Op: "push", ExitCode: taxonomy.Some(1)})
	cancelled := fmt.Errorf("call: %w", context.Canceled)
	for _, c := range []struct {
		name, source, op string
		err              error
		code, why        string
	}{
		{"a rule", "anthropic-api", "call", &taxonomy.Evidence{Status: 529, Type: "overloaded_error"},
			"PROVIDER_API_ERROR", ""},
		{"the evidence says itself who reports", "anthropic-api", "call",
			&taxonomy.Evidence{Source: "git", Op: "push", ExitCode: taxonomy.Some(1)}, "GIT_PUSH_FAILED", ""},
		{"it does not", "git", "push", errors.New("exit status 1"), "GIT_PUSH_FAILED", ""},
		{"half of it", "other", "push", &taxonomy.Evidence{Source: "git"}, "GIT_PUSH_FAILED", ""},
		{"no rule", "", "", errors.New("something new"), "PROVIDER_CRASH",
			"no rule matches, so it is the fallback PROVIDER_CRASH"},
		{"an error of the taxonomy", "anthropic-api", "call", fmt.Errorf("again: %w", own), "GIT_PUSH_FAILED",
			"it is an error of the taxonomy already"},
		{"cancelled", "anthropic-api", "call", cancelled, "", "a cancelled context is not classified"},
		{"nothing", "anthropic-api", "call", nil, "", "there is no error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, why := detect.Classifier(errs.Explain)(c.err, c.source, c.op)
			assert.Equal(t, c.code, taxonomy.CodeOf(got))
			if c.why != "" {
				assert.Equal(t, c.why, why)
			} else {
				assert.Regexp(t, `^rule [A-Z_]+/\d+ \(.+\)`, why)
			}
			assert.NotContains(t, why, "\n")
			if _, is := c.err.(*taxonomy.Evidence); c.err != nil && !is {
				assert.ErrorIs(t, got, c.err)
			}
		})
	}
	got, _ := detect.Classifier(errs.Explain)(cancelled, "git", "push")
	assert.Equal(t, cancelled, got, "as it is")
}

func TestClassifierNamesRunnerUp(t *testing.T) {
	rules := mailRules()
	classify := detect.Classifier(
		func(raw any, opts ...detect.Option) detect.Explanation { return rules.Explain(raw, opts) })
	_, why := classify(&taxonomy.Evidence{Text: "mailbox bob is full, try again"}, "smtp", "")
	assert.Equal(
		t, `rule BOUNCED/2 ({text: '(?i)mailbox \w+ is full'}); also matched GREYLISTED/1 and 1 more; nothing fills `+
			`address, size`, why)
	_, why = classify(&taxonomy.Evidence{Type: "C", Text: "x"}, "", "")
	assert.Equal(t, "no rule matches, so it is the fallback OTHER; nothing fills kind", why)
}

type kept struct{ all []taxonomy.Evidence }

func (k *kept) Record(ev *taxonomy.Evidence) error {
	k.all = append(k.all, *ev)
	return errors.New("full")
}

func TestClassifierRecordsWhatNoRuleMatches(t *testing.T) {
	var k kept
	classify := detect.Classifier(errs.Explain, detect.OnUnmatched(&k))
	_, _ = classify(errors.New("something new"), "nobody", "call")
	_, _ = classify(&taxonomy.Evidence{Source: "config", Type: "missing"}, "", "")
	_, _ = classify(context.Canceled, "", "")
	if assert.Len(t, k.all, 1) {
		assert.Equal(t, []string{"nobody", "call", "something new"},
			[]string{k.all[0].Source, k.all[0].Op, k.all[0].Text})
	}
}
