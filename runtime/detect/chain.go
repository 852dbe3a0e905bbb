package detect

import (
	"net/http"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds on the walk through an error's tree, so that a cycle, or a tree that shares its branches,
// ends.
const (
	maxDepth  = 64
	maxErrors = 1024
)

// gather is a walk through an error's tree.
type gather struct {
	filler
	found taxonomy.Evidence
	// base is the evidence that is in the tree, or nil.
	base *taxonomy.Evidence
	// kind is the type of error that the standard library's types amount to, for want of the
	// source's own.
	kind string
	// stderr is what a process wrote to its standard error; forked tells that its error is one of
	// several.
	stderr string
	forked bool
	// response is the first one in the tree.
	response *http.Response
	left     int
}

// ofError returns what err is evidence of.
func ofError(err error) taxonomy.Evidence {
	g := gather{left: maxErrors}
	g.ev = &g.found
	g.walk(err, maxDepth, false)
	name(&g.found.Type, g.kind)
	text, sound := ask(func() string { return err.Error() })
	if !sound {
		text = textOf(err)
		err = &mute{err: err, text: text}
	}
	if g.base != nil {
		return g.onBase(err)
	}
	g.found.Err = err
	g.found.Text = g.text(text)
	if g.found.Text == "" && g.response != nil {
		ofBody(&g.found, g.response)
	}
	hint(&g.found)
	return g.found
}

// onBase returns the evidence in the tree with what was found around it. Its cause is the whole
// tree, in which its own cause is, too.
func (g *gather) onBase(err error) taxonomy.Evidence {
	ev := *g.base
	f := filler{ev: &ev}
	f.evidence(&g.found)
	ev.Err = err
	return ev
}

// text returns what was said on the error channel.
func (g *gather) text(own string) string {
	switch {
	case g.stderr == "":
		return own
	case g.forked:
		return own + "\n" + g.stderr
	}
	return g.stderr
}

// walk collects what err and the errors below it know. Evidence is complete as it is: what is below
// it was known to who made it.
func (g *gather) walk(err error, depth int, forked bool) {
	if err == nil || depth == 0 || g.left == 0 {
		return
	}
	g.left--
	if ev, ok := err.(*taxonomy.Evidence); ok {
		g.meet(ev)
		return
	}
	g.look(err, forked)
	branches, one := errtree.Below(err)
	g.walk(one, depth-1, forked)
	for _, e := range branches {
		g.walk(e, depth-1, forked || len(branches) > 1)
	}
}

// meet takes evidence that is in the tree: the first is the base, any other fills.
func (g *gather) meet(ev *taxonomy.Evidence) {
	switch {
	case ev == nil:
	case g.base == nil:
		g.base = ev
	default:
		g.evidence(ev)
	}
}

// look collects what err itself knows.
func (g *gather) look(err error, forked bool) {
	known := false
	try(func() { known = g.standard(err, forked) })
	if known {
		return
	}
	if c, ok := err.(taxonomy.Coded); ok {
		try(func() { g.coded(c) })
		return
	}
	g.methods(err)
	try(func() { g.fields(err) })
	try(func() { g.sqlFields(err) })
	g.rawJSON(err)
}

// coded collects what an error of another taxonomy says.
func (g *gather) coded(c taxonomy.Coded) {
	name(&g.ev.Code, taxonomy.CodeOf(c))
	h := taxonomy.HintsOf(c)
	if len(g.ev.Files) == 0 {
		g.ev.Files = h.Files
	}
	set(&g.ev.Credential, h.Credential)
	set(&g.ev.Output, h.Output)
	if d, ok := h.RetryAfter.Get(); ok {
		g.retryAfter(d)
	}
	if t, ok := h.ResetAt.Get(); ok {
		g.resetAt(t)
	}
}
