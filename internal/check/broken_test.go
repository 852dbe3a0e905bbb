package check_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
)

// What could not be read is reported once: nobody can say then that it is missing.
func TestWhatIsBrokenIsNotMissing(t *testing.T) {
	for _, tt := range []struct{ policy, prevent, hint string }{
		{policy: "adapt: true"},
		{policy: "adapt: {attempts: 5}"},
		{policy: "adapt: {attempts: {max: 3.5}}", hint: "write digits only, without leading zeros"},
		{policy: "adapt: {delay: {max: 5}}", hint: "write 5s for seconds, or 5ms for milliseconds"},
		{policy: "adapt: {attempts: {min: 2}, target: 80%}", hint: "write 0.8"},
		{policy: "adapt: {delays: {max: 5s}}", hint: `did you mean "delay"?`},
		{policy: "budget: 0.2"},
		{policy: "budget: {retries: 20%}", hint: "write 0.2"},
		{policy: "budget: {retries: 20%, reserve: 1}", hint: "write 0.2"},
		{policy: "budget: {breaker: {failures: five}}"},
		{policy: "budget: {breaker: [1]}"},
		{prevent: "true"},
		{prevent: "{throttle: 5}", hint: "write 5s for seconds, or 5ms for milliseconds"},
		{prevent: "{throttle: 1s, likely: 60%}", hint: "write 0.6"},
		{prevent: "{throttle: 1s, likely: some%}"},
	} {
		src := "errgen: 1\npackage: p\npolicies: {p: {" + tt.policy + "}}\n" +
			"categories: {c: {doc: C., retryable: true, reaction: {action: retry, policy: p}, codes: {A: {doc: A., " +
			"message: a"
		if tt.prevent != "" {
			src += ", prevent: " + tt.prevent
		}
		_, findings := check.Load("taxonomy.yaml", []byte(src+"}}}}\n"))
		var told []string
		for _, f := range findings {
			if f.Severity == diag.Error {
				told = append(told, f.Message)
				assert.Equal(t, tt.hint, f.Hint, src)
			}
		}
		assert.Len(t, told, 1, "%s\n%s", src, strings.Join(told, "\n"))
	}
}

// A purpose that cannot be read is the one thing that is wrong: whom a reaction asks for it is not.
func TestABrokenPurposeIsNotMissing(t *testing.T) {
	for _, tt := range []struct{ reaction, profile, want string }{
		{reaction: "action: retry, to: mid, purpose: diagnose", want: `purpose cannot be "diagnose"`},
		{reaction: "action: retry_operation, to: mid, purpose: true, policy: {max_attempts: 2}, then: block",
			want: `purpose cannot be "true"`},
		{reaction: "action: retry, to: mid, purpose: ", want: `"purpose" has no value`},
		{reaction: "action: retry, to: mid, purpose: [analysis]",
			want: "purpose: expected one of diagnosis, analysis, verification, found a list"},
		{reaction: "action: retry, to: 5, purpose: analysis", want: "5 is a number to YAML, and text is expected here"},
		{reaction: "action: retry, to: , purpose: analysis", want: `"to" has no value`},
		{reaction: "action: retry", profile: "to: mid, purpose: diagnose", want: `purpose cannot be "diagnose"`},
		{reaction: "action: retry", profile: "to: 5, purpose: analysis",
			want: "5 is a number to YAML, and text is expected here"},
	} {
		src := "errgen: 1\npackage: p\ntiers: {low: {}, mid: {}}\nreactions: {r: {" + tt.reaction + "}}\n" +
			"categories: {c: {doc: C., retryable: true, reaction: r, codes: {A: {doc: A., message: a}}}}\n"
		if tt.profile != "" {
			src += "profiles: {p: {reactions: {r: {" + tt.profile + "}}}}\n"
		}
		_, findings := check.Load("taxonomy.yaml", []byte(src))
		var told []string
		for _, f := range findings {
			if f.Severity == diag.Error {
				told = append(told, f.Message)
			}
		}
		assert.Equal(t, []string{tt.want}, told, src)
	}
}
