// Package wire has what transports of errors share: what a server shows of an error, and the typed
// error that a client makes of it.
package wire

import (
	"context"
	"encoding/json"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// Shown returns an error as a server reports it, and what its client sees. The error is classified
// by the table, unless that is zero, and gets the attributes of the context; so does an error that
// is shown in place of an internal one.
func Shown(ctx context.Context, t taxonomy.Table, err error) (taxonomy.PublicView, error) {
	public := taxonomy.Public
	if t.Taxonomy != nil {
		err, public = t.Classify(err), t.Public
	}
	attributes := taxonomy.ContextAttributes(ctx)
	if len(attributes) == 0 {
		return public(err), err
	}
	err = taxonomy.Attach(err, attributes...)
	v := public(err)
	if c := v.Err(); c != nil {
		v = public(taxonomy.Attach(c, attributes...))
	}
	return v, err
}

// Sent are the parts of an error in a response. It encodes to the JSON of an error.
type Sent struct {
	Domain    string          `json:"domain,omitempty"`
	Code      string          `json:"code"`
	Message   string          `json:"message"`
	Retryable bool            `json:"retryable"`
	Reaction  string          `json:"reaction,omitempty"`
	Context   json.RawMessage `json:"context,omitempty"`
}

// Table returns the first of the tables that the error belongs to. Without a domain that is one that
// has the code.
func (s *Sent) Table(tables []taxonomy.Table) (taxonomy.Table, bool) {
	for _, t := range tables {
		if _, known := t.Taxonomy.Find(s.Code); t.Taxonomy.Domain == s.Domain || known && s.Domain == "" {
			return t, s.Code != ""
		}
	}
	return taxonomy.Table{}, false
}

// Error returns the error of the table's taxonomy, a *[taxonomy.Unknown] if the taxonomy does not
// have the code, or nil if the context cannot be read.
func (s *Sent) Error(t taxonomy.Table) taxonomy.Error {
	b, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	e, err := gen.Unmarshal(b, t.Taxonomy)
	if err != nil {
		return nil
	}
	return e
}

// Reaction returns the name of the reaction to an error if its context selects another one than its
// code's, otherwise "". A client cannot select it without the internal fields.
func Reaction(v taxonomy.PublicView) string {
	if c := v.Err(); c != nil && c.Row().Branch() != 0 {
		if r := c.Taxonomy().Traits(c.Row()).Reaction; r != c.Taxonomy().Code(c.Row()).Reaction {
			return r.Name
		}
	}
	return ""
}
