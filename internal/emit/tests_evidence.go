package emit

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// given is evidence, and the expression of the error in it, if there is one.
type given struct {
	evidence taxonomy.Evidence
	err      string
}

// evidence returns evidence as an expression.
func (w *testWriter) evidence(g given) string {
	ev := g.evidence
	l := w.structOf()
	l.text("Source", ev.Source)
	l.text("Op", ev.Op)
	l.text("Type", ev.Type)
	l.number("Status", ev.Status)
	l.flag("StatusDerived", ev.StatusDerived)
	l.text("Code", ev.Code)
	if code, ok := ev.ExitCode.Get(); ok {
		l.add("ExitCode", w.use(pkgTaxonomy, "Some")+"("+strconv.Itoa(code)+")")
	}
	l.text("Signal", ev.Signal)
	l.text("Errno", ev.Errno)
	l.text("Text", ev.Text)
	l.text("Output", ev.Output)
	if ev.Files != nil {
		l.add("Files", w.list(ev.Files))
	}
	if d, ok := ev.RetryAfter.Get(); ok {
		f := &model.Field{Type: model.Duration}
		l.add("RetryAfter", w.use(pkgTaxonomy, "Some")+"("+w.typed(f, model.Value{Type: model.Duration, Duration: d})+
			")")
	}
	if !ev.ResetAt.IsZero() {
		l.add("ResetAt", w.instant(ev.ResetAt))
	}
	l.text("Credential", ev.Credential)
	if len(ev.Attributes) > 0 {
		l.add("Attributes", w.stringMap(ev.Attributes))
	}
	if g.err != "" {
		l.add("Err", g.err)
	}
	return l.of("Evidence")
}

func (w *testWriter) stringMap(m map[string]string) string {
	pairs := make([]string, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		pairs = append(pairs, w.str(key)+": "+w.str(m[key]))
	}
	return fmt.Sprintf("map[string]string{%s}", strings.Join(pairs, ", "))
}
