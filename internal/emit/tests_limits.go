package emit

import (
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// pointed adds a pointer to a struct of one of the runtime's types; an empty one is left out.
func (l *fieldList) pointed(name, typ string, value *fieldList) {
	if len(value.fields) > 0 {
		l.add(name, "&"+value.of(typ))
	}
}

func (w *testWriter) adapt(a *taxonomy.Adapt) *fieldList {
	l := w.structOf()
	if a == nil {
		return l
	}
	l.number("MinAttempts", a.MinAttempts)
	l.number("MaxAttempts", a.MaxAttempts)
	l.duration("MinDelay", a.MinDelay)
	l.duration("MaxDelay", a.MaxDelay)
	l.float("Target", a.Target)
	l.number("Window", a.Window)
	return l
}

func (w *testWriter) budget(b *taxonomy.Budget) *fieldList {
	l := w.structOf()
	if b == nil {
		return l
	}
	l.float("Retries", b.Retries)
	l.number("Reserve", b.Reserve)
	l.duration("Window", b.Window)
	breaker := w.structOf()
	if c := b.Breaker; c != nil {
		breaker.number("Failures", c.Failures)
		breaker.number("Of", c.Of)
		breaker.duration("Probe", c.Probe)
		breaker.number("Successes", c.Successes)
	}
	l.pointed("Breaker", "Breaker", breaker)
	return l
}

func (w *testWriter) prevention(p *taxonomy.Prevention) *fieldList {
	l := w.structOf()
	if p == nil {
		return l
	}
	l.text("Check", p.Check)
	l.duration("Throttle", p.Throttle)
	l.number("Concurrency", p.Concurrency)
	l.float("Likely", p.Likely)
	return l
}

// checks writes that each name runs its own method.
func (w *testWriter) checks(m *model.Package) {
	if len(m.Checks) == 0 {
		return
	}
	w.f("\n// #Checks notes which check was run.\ntype #Checks struct {\nctx %s\nmethod string\n}\n",
		w.use(pkgContext, "Context"))
	for _, c := range m.Checks {
		w.f("\nfunc (c *#Checks) %s(ctx context.Context) error {\nc.ctx, c.method = ctx, %q\nreturn #Cause\n}\n",
			c.Method, c.Method)
	}
	w.test("Check", "")
	w.f("for _, c := range []struct{ check, constant, method string }{\n")
	for _, c := range m.Checks {
		w.f("{%s, %s, %q},\n", w.str(c.Name), c.Const, c.Method)
	}
	w.f("} {\n%s(t, c.check, c.constant)\nvar run #Checks\n", w.use(pkgAssert, "Equal"))
	w.f("assert.Equal(t, #Cause, Check(t.Context(), &run, c.check))\n")
	w.f("assert.Equal(t, #Checks{t.Context(), c.method}, run)\n}\n")
	w.f("for _, name := range []string{\"\", \"no such check\"} {\nvar run #Checks\n")
	w.f("%s(t, Check(t.Context(), &run, name))\n%s(t, run)\n}\n}\n", w.use(pkgAssert, "Error"),
		w.use(pkgAssert, "Zero"))
}
