package taxonomy

import (
	"slices"
	"strings"
)

// Operation is a call that a program offers its clients, with the errors in which it can end.
// Generated packages have a variable for each operation that the taxonomy declares.
type Operation struct {
	Name string // PlaceOrder: the name in Go, and the operationId of OpenAPI
	Doc  string
	// HTTP is the method and the path, as a pattern of [net/http.ServeMux]: "GET /orders/{id}". RPC
	// is the full method: "shop.v1.Orders/Get". Either can be empty.
	HTTP, RPC string
	// Idempotent reports whether a repeated call has the effect of one. It is [Unspecified] unless
	// the taxonomy sets it, or the HTTP method is safe.
	Idempotent Tristate
	// Exhaustive promises clients that no code will be added.
	Exhaustive bool
	// Codes are the public codes in which the operation can end, by their values on the wire. They
	// include those of all operations, and the public fallback.
	Codes []string
}

// Tristate is yes, no or unspecified.
type Tristate uint8

// The values of a Tristate.
const (
	Unspecified Tristate = iota
	Yes
	No
)

// String returns "yes", "no" or "unspecified".
func (t Tristate) String() string {
	switch t {
	case Yes:
		return "yes"
	case No:
		return "no"
	}
	return "unspecified"
}

// Declares reports whether the operation can end in the code with a value.
func (o *Operation) Declares(code string) bool { return slices.Contains(o.Codes, code) }

// Undeclared is an error whose code the operation that failed does not declare. Only reports of a
// server contain it, such as the function of problem.OnError; clients never see it.
type Undeclared struct {
	Operation string // the name
	Code      string // the public code
	Err       error
}

// Error returns the text of the error, and the operation that does not declare its code.
func (u *Undeclared) Error() string {
	return u.Err.Error() + " (operation " + u.Operation + " does not declare " + u.Code + ")"
}

// Unwrap returns the error.
func (u *Undeclared) Unwrap() error { return u.Err }

// OperationByRPC returns the operation with a full method such as "/shop.v1.Orders/Get", or nil.
func (t *Taxonomy) OperationByRPC(method string) *Operation {
	return t.operation(strings.TrimPrefix(method, "/"))
}

// OperationByRoute returns the operation that answers requests with a method for a pattern of
// [net/http.ServeMux], or nil. The pattern can have a method and a host. It can come from a mux
// below another one that removed the prefix of the path; the prefix is "" for all others.
func (t *Taxonomy) OperationByRoute(method, prefix, pattern string) *Operation {
	if own, path, ok := strings.Cut(pattern, " "); ok {
		method, pattern = own, strings.TrimLeft(path, " \t")
	}
	i := strings.IndexByte(pattern, '/') // a host comes before it
	if i < 0 {
		return nil
	}
	return t.operation(Route(method + " " + prefix + pattern[i:]))
}

// operation returns the operation with a full method or a route.
func (t *Taxonomy) operation(address string) *Operation {
	if t == nil || len(t.Operations) == 0 {
		return nil
	}
	operations, ok := t.operations.Load().(map[string]*Operation)
	if !ok {
		operations = make(map[string]*Operation)
		for _, o := range t.Operations {
			operations[o.RPC], operations[Route(o.HTTP)] = o, o
		}
		delete(operations, "")
		t.operations.Store(operations)
	}
	return operations[address]
}

// Route returns the pattern of an operation without the parts that do not distinguish operations:
// names of parameters, {$} and a wildcard at the end. Two operations cannot have the same route.
func Route(pattern string) string {
	if !strings.Contains(pattern, "{") {
		return pattern
	}
	segments := strings.Split(pattern, "/")
	for i, s := range segments {
		switch {
		case !strings.HasPrefix(s, "{") || !strings.HasSuffix(s, "}"):
		case s == "{$}" || strings.HasSuffix(s, "...}"):
			segments[i] = ""
		default:
			segments[i] = "{}"
		}
	}
	return strings.Join(segments, "/")
}
