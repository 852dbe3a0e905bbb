package providertest

import (
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Example is an example, or a counter-example, that a taxonomy gives for one of its codes.
type Example struct {
	// Code is the code's value on the wire, and Place the example's place among the code's own,
	// from 1.
	Code  string
	Place int
	// Not marks a counter-example: evidence that must not become the code.
	Not bool
	// Evidence is the example's evidence, with a Go error in it if the example names one.
	Evidence taxonomy.Evidence
	// Want is what is expected beside the code.
	Want Want
}

// Want is what an example expects beside its code. What is absent, empty or nil is not asked for.
type Want struct {
	Retryable taxonomy.Opt[bool]
	// Reaction is the name of the reaction.
	Reaction string
	// Context are fields of the error by their names on the wire: a string (also for a word of an
	// enum and for JSON), int64, uint64, float64, bool, time.Duration, time.Time, []string, or a
	// map of the fields of an object.
	Context map[string]any
}

// Examples returns the examples that a taxonomy gives, in its order. Source is the text of its YAML
// file. It is an error if there is one in the taxonomy.
func Examples(source []byte) ([]Example, error) {
	m, findings := check.Load("taxonomy.yaml", source)
	if m == nil {
		return nil, fmt.Errorf("read the taxonomy's examples: %w", faults(findings))
	}
	var all []Example
	for _, code := range m.Codes {
		for _, x := range code.Examples {
			all = append(all, Example{
				Code: code.Value, Place: x.Place, Not: x.Not, Evidence: detection.Evidence(x), Want: wantOf(x.Want),
			})
		}
	}
	return all, nil
}

// faults returns the first few errors among the findings.
func faults(findings []diag.Finding) error {
	var all []error
	for _, f := range findings {
		if f.Severity == diag.Error && len(all) < 10 {
			all = append(all, fmt.Errorf("line %d: %s", f.Span.Line, f.Message))
		}
	}
	return errors.Join(all...)
}

func wantOf(w *model.Want) Want {
	if w == nil {
		return Want{}
	}
	want := Want{Reaction: w.Reaction}
	if w.Retryable != nil {
		want.Retryable = taxonomy.Some(*w.Retryable)
	}
	for _, field := range w.Context {
		if want.Context == nil {
			want.Context = map[string]any{}
		}
		want.Context[field.Field.Wire] = goValue(field.Value)
	}
	return want
}

// goValue returns a value of the taxonomy as a value of Go.
func goValue(v model.Value) any {
	switch v.Type {
	case model.Int, model.Int64:
		return v.Int
	case model.Uint64:
		return v.Uint
	case model.Float64:
		return v.Float
	case model.Bool:
		return v.Bool
	case model.Duration:
		return v.Duration
	case model.Time:
		return v.Time.In(time.UTC)
	case model.Strings:
		return v.Strings
	case model.ObjectType:
		fields := make(map[string]any, len(v.Object))
		for field, value := range v.Object {
			fields[field.Wire] = goValue(value)
		}
		return fields
	}
	return v.Str
}
