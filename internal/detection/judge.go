package detection

import (
	"errors"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Judge classifies evidence by a taxonomy. It is safe for concurrent use.
type Judge struct {
	m      *model.Package
	rules  *detect.Rules
	ranked []*model.Rule
}

// NewJudge returns a judge of m's rules, whose expressions must compile. m must not be changed
// afterwards.
func NewJudge(m *model.Package) *Judge {
	rules := Rules(m)
	return &Judge{m: m, rules: rules, ranked: rankedAs(m, rules)}
}

// Verdict is the result of a classification.
type Verdict struct {
	// Rule is the rule that won. If it is nil, the evidence becomes the fallback.
	Rule *model.Rule
	// Evidence is the evidence with facts read in its text, and with the text cut.
	Evidence *taxonomy.Evidence
	// Code is nil if no rule won and the taxonomy has no fallback. Then Row is nil, and Context is
	// empty.
	Code    *model.Code
	Context model.Context
	Row     *model.Row
}

// Of classifies ev without options. It does not change ev, which must not be nil.
func (j *Judge) Of(ev *taxonomy.Evidence) Verdict {
	v := Verdict{Evidence: ev}
	var room taxonomy.Evidence
	rule, as, _ := j.rules.Decide(ev, &room, nil)
	if as == nil {
		return v // never classified
	}
	v.Evidence = as
	if rule != detect.NoRule {
		v.Rule = j.ranked[rule]
	}
	v.Code, v.Context = Fill(j.m, v.Rule, as)
	if v.Code != nil {
		v.Row = v.Code.RowFor(v.Context)
	}
	return v
}

// Evidence returns the evidence of an example, with the error that it names.
func Evidence(x *model.Example) taxonomy.Evidence {
	ev := x.Evidence
	ev.Err = NamedError(x.As, x.Is)
	return ev
}

// NamedError returns an error that the rules of [Rules] take for the ones that `as` and `is` name,
// or nil if both are empty. It replaces errors of packages that errgen does not load.
func NamedError(as, is string) error {
	if as == "" && is == "" {
		return nil
	}
	return &namedError{as, is}
}

type namedError struct{ as, is string }

// Error returns the names.
func (e *namedError) Error() string {
	return strings.TrimPrefix(strings.TrimSuffix(e.as+": "+e.is, ": "), ": ")
}

func isNamed(err error, name string) bool {
	e, ok := errors.AsType[*namedError](err)
	return ok && (model.SameError(e.as, name) || model.SameError(e.is, name))
}
