package explain

import (
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Operation is everything that a taxonomy declares about an operation.
type Operation struct {
	Operation  string           `json:"operation"`
	Doc        string           `json:"doc,omitempty"`
	HTTP       string           `json:"http,omitempty"`
	RPC        string           `json:"rpc,omitempty"`
	Idempotent string           `json:"idempotent"` // yes, no or unspecified
	Exhaustive bool             `json:"exhaustive"`
	Const      string           `json:"const"`
	Errors     []OperationError `json:"errors"`
}

// OperationError is a code in which an operation can end.
type OperationError struct {
	Code      string `json:"code"`
	HTTP      int    `json:"http,omitzero"`
	GRPC      string `json:"grpc,omitempty"`
	Retryable bool   `json:"retryable"`
	Effect    string `json:"effect,omitempty"`
	Doc       string `json:"doc,omitempty"`
}

// OperationOf returns the description of an operation.
func OperationOf(m *model.Package, o *model.Operation) *Operation {
	v := o.Value
	d := &Operation{Operation: v.Name, Doc: v.Doc, HTTP: v.HTTP, RPC: v.RPC, Idempotent: v.Idempotent.String(),
		Exhaustive: v.Exhaustive, Const: m.Name + "." + o.Var}
	for _, c := range o.Codes {
		d.Errors = append(d.Errors, OperationError{Code: c.Value, HTTP: int(c.Row.HTTP),
			GRPC:      resolve.GRPCWord(c.Row.GRPC),
			Retryable: c.Row.Retryable, Effect: effectWord(c.Row.Effect), Doc: c.Doc})
	}
	return d
}

// Promises returns what an operation promises its clients, in phrases.
func Promises(o *taxonomy.Operation) []string {
	var s sentences
	s.add(o.HTTP != "", "HTTP: %s", o.HTTP)
	s.add(o.RPC != "", "RPC: %s", o.RPC)
	s.add(o.Idempotent == taxonomy.Yes, "a repeated call has the effect of one")
	s.add(o.Idempotent == taxonomy.No, "a repeated call can have its effect twice")
	s.add(o.Exhaustive, "no further code will be added to its errors")
	return s
}
