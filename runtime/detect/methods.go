package detect

import (
	"reflect"
	"time"
)

// methods collects what an error of a type that is not known says through methods that many have.
// Each may panic.
func (g *gather) methods(err error) {
	g.methodsForCode(err)
	g.methodsForStatus(err)
	if timedOut(err) {
		set(&g.kind, typeTimeout)
	}
	if x, ok := err.(interface{ ExitCode() int }); ok {
		if code, ok := ask(func() int { return x.ExitCode() }); ok {
			g.exitCode(code)
		}
	}
	if x, ok := err.(interface{ RetryAfter() time.Duration }); ok {
		if d, _ := ask(func() time.Duration { return x.RetryAfter() }); d > 0 {
			g.retryAfter(d)
		}
	}
}

// rawJSON collects what the body of the response says that a client kept.
func (g *gather) rawJSON(err error) {
	x, ok := err.(interface{ RawJSON() string })
	if !ok {
		return
	}
	if raw, _ := ask(func() string { return x.RawJSON() }); len(raw) <= maxBody {
		o, _ := readObject([]byte(raw))
		g.keys(o)
	}
}

func (g *gather) methodsForCode(err error) {
	if x, ok := err.(interface{ SQLState() string }); ok {
		code, _ := ask(func() string { return x.SQLState() })
		name(&g.ev.Code, code)
	}
	if x, ok := err.(interface{ ErrorCode() string }); ok {
		code, _ := ask(func() string { return x.ErrorCode() })
		name(&g.ev.Code, code)
	}
	try(func() { word(&g.ev.Code, result(reflect.ValueOf(err).MethodByName("Code"))) })
	try(func() {
		if v := result(reflect.ValueOf(err).MethodByName("Type")); v.Kind() == reflect.String {
			word(&g.ev.Type, v)
		}
	})
}

func (g *gather) methodsForStatus(err error) {
	if x, ok := err.(interface{ StatusCode() int }); ok {
		n, _ := ask(func() int { return x.StatusCode() })
		g.status(n, leastStatus)
	}
	if x, ok := err.(interface{ HTTPStatusCode() int }); ok {
		n, _ := ask(func() int { return x.HTTPStatusCode() })
		g.status(n, leastStatus)
	}
	if x, ok := err.(interface{ Status() int }); ok {
		n, _ := ask(func() int { return x.Status() })
		g.status(n, leastFailure)
	}
}

// The least numbers that are taken for an HTTP status: of what is called a status code, and of what
// is called just a status, which may be that of a process, too, and that is at most 255.
const (
	leastStatus  = 100
	leastFailure = 400
)

// result returns what a method without parameters returns; the zero Value when it is none or has
// more to return. The types of codes differ, and so no interface stands for them all.
func result(method reflect.Value) reflect.Value {
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 {
		return reflect.Value{}
	}
	return method.Call(nil)[0]
}

// word fills a name with a text, or with a number other than 0 by its own name if it has one.
func word(p *string, v reflect.Value) {
	switch {
	case v.Kind() == reflect.String:
		name(p, v.String())
	case v.CanInt() && v.Int() != 0, v.CanUint() && v.Uint() != 0:
		if x, ok := v.Interface().(interface{ String() string }); ok {
			name(p, x.String())
			return
		}
		if v.CanInt() {
			number(p, v.Int())
		} else {
			number(p, int64(min(v.Uint(), 1<<62)))
		}
	}
}
