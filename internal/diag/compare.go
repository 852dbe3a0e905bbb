package diag

import (
	"cmp"
	"strings"
)

func compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Span.Line, b.Span.Line),
		cmp.Compare(a.Span.Col, b.Span.Col),
		cmp.Compare(a.Severity, b.Severity),
		strings.Compare(a.ID, b.ID),
		strings.Compare(a.Message, b.Message),
	)
}
