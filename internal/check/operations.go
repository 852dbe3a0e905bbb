package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// operationAddresses checks the methods and paths of operations. Two operations cannot have the
// same one.
func operationAddresses(c *checker) {
	routes, methods := make(places), make(places)
	for _, o := range c.m.Operations {
		if p := o.Decl.HTTP; p.Set {
			if problem := patternProblem(o.Value.HTTP); problem != "" {
				c.report("E-value", p.Span, fmt.Sprintf("http: %q %s", p.V, problem),
					"write a method and a path, as in GET /orders/{id}")
			} else {
				c.claim("E-duplicate", routes, taxonomy.Route(o.Value.HTTP), p.Span, "the route "+o.Value.HTTP,
					"one request has one operation: give them different paths, or make them one")
			}
		}
		if m := o.Decl.RPC; m.Set {
			if !fullMethod.MatchString(m.V) {
				c.report("E-value", m.Span, fmt.Sprintf("rpc: %q is not a full method", m.V),
					"write the package, the service and the method, as in shop.v1.Orders/Get")
			} else {
				c.claim("E-duplicate", methods, m.V, m.Span, "the method "+m.V, "one call has one operation")
			}
		}
	}
}

var fullMethod = regexp.MustCompile(`^[A-Za-z_][\w.]*/[A-Za-z_]\w*$`)

// patternProblem returns the reason why a pattern is not that of an operation, or "".
func patternProblem(pattern string) string {
	method, path, _ := strings.Cut(pattern, " ")
	if method == "" || strings.ToUpper(method) != method || !strings.HasPrefix(path, "/") {
		return "is not a method and a path"
	}
	var names []string
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		name, isParameter := strings.CutPrefix(strings.TrimSuffix(segment, "}"), "{")
		rest := strings.TrimSuffix(name, "...")
		switch last := i == len(segments)-1; {
		case !strings.ContainsAny(segment, "{}"), segment == "{$}" && last:
		case !isParameter || !strings.HasSuffix(segment, "}") || !parameter.MatchString(rest):
			return fmt.Sprintf("has a parameter that is not a name in braces: %s", segment)
		case rest != name && !last:
			return fmt.Sprintf("has %s before its end", segment)
		case slices.Contains(names, rest):
			return fmt.Sprintf("has two parameters %s", rest)
		}
		names = append(names, rest)
	}
	return ""
}

var parameter = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// operationErrors checks that operations declare errors that clients can see.
func operationErrors(c *checker) {
	for i := range c.t.Operations {
		d := &c.t.Operations[i]
		if d.Name.V == resolve.EveryOperation {
			c.everyOperation(d)
		}
		for _, name := range d.Errors {
			c.operationError(d, name)
		}
	}
}

// operationError checks a name under errors.
func (c *checker) operationError(d *spec.Operation, name spec.Text) {
	code := c.m.CodeByKey(name.V)
	switch {
	case name.V == resolve.EveryOperation:
		c.report("E-operation", name.Span, "* declares every code, so it says nothing about the operation",
			"name codes, categories or @groups")
	case code != nil && !code.Public && !code.Abstract:
		related := seeAlso(code.Decl.Name.Span, "declared here")
		c.report("E-operation", name.Span, fmt.Sprintf("code %s is internal, so no operation sends it", name.V),
			"remove it: clients see the public fallback; or set audience: public on the code", related)
	case len(resolve.Declared(c.m, []spec.Text{name})) == 0:
		c.report("E-operation", name.Span, fmt.Sprintf("%s has no public code", name.V),
			"remove it, or make one of its codes public")
	case code == nil && d.Exhaustive.V:
		c.report("E-operation", name.Span,
			fmt.Sprintf("%s is not a code, and the errors of an exhaustive operation are codes", name.V),
			"name the codes, so that a new one does not become part of the list unnoticed")
	}
}

// everyOperation checks that * has errors only.
func (c *checker) everyOperation(d *spec.Operation) {
	for key, at := range map[string]diag.Span{
		"http": d.HTTP.Span, "rpc": d.RPC.Span, "idempotent": d.Idempotent.Span, "exhaustive": d.Exhaustive.Span,
	} {
		if at.Valid() {
			c.report("E-operation", at, fmt.Sprintf("* is not one operation, so it has no %s", key),
				"set the key of an operation")
		}
	}
}

// operationEffects finds retryable codes without an effect, of operations that are not idempotent.
// Clients do not repeat such a call, although the code says that they can.
func operationEffects(c *checker) {
	for _, code := range c.m.Codes {
		missing := slices.ContainsFunc(code.Rows(), func(r *model.Row) bool {
			return r.Retryable && r.Effect == taxonomy.EffectUnspecified
		})
		i := slices.IndexFunc(c.m.Operations, func(o *model.Operation) bool {
			return o.Value.Idempotent == taxonomy.No && slices.Contains(o.Codes, code)
		})
		if missing && i >= 0 {
			c.report("W-effect", code.Decl.Name.Span,
				fmt.Sprintf("%s is retryable and has no effect, and %s is not idempotent", code.Name,
					c.m.Operations[i].Value.Name),
				"set effect: none if nothing happened, so that clients repeat the call, or effect: unknown")
		}
	}
}
