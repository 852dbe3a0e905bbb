// Package faults makes an HTTP server fail on request, for drills with the program that is deployed.
// A request with the header Errgen-Fault gets the error of the code that it names. Put it around each
// handler inside of problem.Serve, so that the error has the operation and the id of its request:
//
//	mux.Handle("GET /orders/{id}", faults.Handler(problem.Handler(getOrder, options...), errs.Table, options...))
//
// Only a program that is built with the tag errgen_faults does so. Every other program refuses such
// a request, so that a drill cannot be mistaken for a success.
package faults

import (
	"errors"
	"net/http"

	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Header is the header that names the code of the error.
const Header = "Errgen-Fault"

// ErrInjected is wrapped by the errors of requests with [Header], so that logs and reports can
// distinguish a drill.
var ErrInjected = errors.New("the request asked for this error")

// Handler returns a handler that answers requests with [Header], and passes all others to next. The
// options are those of the handlers below: an injected error is logged and counted like any other.
// A code that the table does not have, and any code in a program without the tag, is answered with
// 400.
func Handler(next http.Handler, t taxonomy.Table, opts ...problem.Option) http.Handler {
	opts = append([]problem.Option{problem.ByTable(t)}, opts...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code := r.Header.Get(Header)
		if code == "" {
			next.ServeHTTP(w, r)
			return
		}
		row, found := t.Taxonomy.Find(code)
		switch {
		case !Enabled:
			http.Error(w, "faults are not enabled", http.StatusBadRequest)
		case !found:
			http.Error(w, "unknown code", http.StatusBadRequest)
		default:
			problem.Write(w, r, t.Taxonomy.New(row, ErrInjected), opts...)
		}
	})
}
