package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/errgen/errgen/internal/explain"
)

// operationDoc is the explanation of an operation.
type operationDoc struct{ *explain.Operation }

func (d operationDoc) text() []byte {
	p := &page{}
	p.title(d.Operation.Operation, "operation", d.Doc)
	p.WriteByte('\n')
	p.line("http", d.HTTP)
	p.line("rpc", d.RPC)
	p.line("idempotent", d.Idempotent)
	if d.Exhaustive {
		p.line("exhaustive", "yes: no code will be added")
	}
	p.line("Go", d.Const)
	p.heading("Errors")
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	row := func(cells ...string) {
		_, _ = fmt.Fprintln(w, "  "+strings.Join(cells,
			"\t"))
	} // a buffer accepts everything
	row("CODE", "HTTP", "GRPC", "RETRYABLE", "EFFECT")
	for _, e := range d.Errors {
		row(e.Code, cmp.Or(positive(e.HTTP), "-"), cmp.Or(e.GRPC, "-"), yesNo(e.Retryable), cmp.Or(e.Effect, "-"))
	}
	_ = w.Flush()
	p.Write(table.Bytes())
	return p.Bytes()
}
