package handler

import (
	"cmp"
	"context"

	"github.com/errgen/errgen/runtime/report"
)

// Op is an operation.
type Op struct {
	// Name says what is done, for people: "list issues".
	Name string
	// Source is who reports its failures, as the taxonomy's rules name them: "github". An error
	// that is evidence, or of the taxonomy, says so itself.
	Source string
	// Component is the part of the source that does it; empty is the Name.
	Component string
	// Credential names the credential that it uses, never the credential itself. Operations of one
	// source and credential share their waits, their circuit breaker and their budget of retries.
	Credential string
	// Facts are added to what is reported of failures. A source there that leaves something open
	// has the rest from Source and Component.
	Facts report.Facts
	// Do does it. When ctx ends it stops and returns. It is called again as the reactions to its
	// failures say, by one goroutine at a time. An error is best a *[taxonomy.Evidence]; any other
	// is classified by what it is.
	Do func(ctx context.Context) error
}

// unknownMode is the mode of execution where nobody says what it is.
const unknownMode = "unknown"

// facts returns what is reported of the operation's failures: what is given, and what follows from
// the rest of it.
func (o *Op) facts() report.Facts {
	f := o.Facts
	source := report.Source{}
	if f.Source != nil {
		source = *f.Source
	}
	source.Type, source.Component = cmp.Or(source.Type, o.Source), cmp.Or(source.Component, o.component())
	f.Source = &source
	execution := report.Execution{Mode: unknownMode}
	if f.Execution != nil {
		execution = *f.Execution
		if execution.Mode == "" {
			execution.Mode = unknownMode
		}
	}
	f.Execution = &execution
	return f
}

func (o *Op) component() string {
	if o.Component == "" {
		return o.Name
	}
	return o.Component
}
