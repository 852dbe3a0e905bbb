package infer

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/summary"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// operations compares the public codes of handlers and remote methods with the operations that they
// serve. Clients see the public fallback in place of all other codes. An operation can declare more
// than it returns.
func (c *checker) operations() {
	for _, entry := range c.Entries() {
		if !c.contains(entry.Pos) {
			continue
		}
		for _, t := range c.Known {
			if entry.table == "" || entry.table == t.Path {
				c.operation(entry, t)
			}
		}
	}
}

func (c *checker) operation(entry Entry, t *Taxonomy) {
	served := t.served(entry)
	if len(served) == 0 {
		return
	}
	var names, codes []string
	for _, o := range served {
		names, codes = append(names, o.Name), append(codes, o.Codes...)
	}
	set := entry.Set
	if entry.Kind == "rpc" { // the interceptor classifies
		set = c.apply(set, "c"+t.Path+"#", c.at(entry.Pos))
	}
	for a, p := range set.All() {
		path, value, _ := strings.Cut(a.Name, "#")
		if a.Kind != Code || a.Below || path != t.Path || !t.Find(value).Public || slices.Contains(codes, value) {
			continue
		}
		c.report(entry.Pos, OperationID, "%s can return %s, which the operation %s does not declare: %s",
			entry.Name, value, strings.Join(names, " or "), Path(p))
	}
}

// served returns the operations that an entry serves. There can be several if the pattern of the
// route has no method.
func (t *Taxonomy) served(entry Entry) []summary.Operation {
	method, pattern, ok := strings.Cut(entry.Name, " ")
	if !ok {
		method, pattern = "", entry.Name
	}
	route := taxonomy.Route(pattern[max(0, strings.IndexByte(pattern, '/')):]) // without a host
	return slices.DeleteFunc(slices.Clone(t.Operations), func(o summary.Operation) bool {
		ownMethod, path, _ := strings.Cut(o.HTTP, " ")
		switch v := entry.operation; {
		case v != nil:
			return v.Pkg().Path() != t.Path || v.Name() != "Operation"+o.Name
		case entry.method != "":
			return o.RPC != strings.TrimPrefix(entry.method, "/")
		}
		return o.HTTP == "" || taxonomy.Route(path) != route || method != "" && method != ownMethod
	})
}
