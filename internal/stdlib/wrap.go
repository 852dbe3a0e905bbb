package stdlib

import (
	"fmt"
	"slices"
)

// Wrap returns an error that wraps both outer and inner; where one of them is nil, the other one.
func Wrap(outer, inner error) error {
	switch {
	case outer == nil:
		return inner
	case inner == nil:
		return outer
	}
	return fmt.Errorf("%w: %w", outer, inner)
}

// WrapExpr returns the expression of the error that [Wrap] returns of the errors of two
// expressions. One without code stands for no error.
func WrapExpr(outer, inner Expr) Expr {
	switch {
	case outer.Code == "":
		return inner
	case inner.Code == "":
		return outer
	}
	imports := slices.Concat(outer.Imports, inner.Imports, []string{"fmt"})
	slices.Sort(imports)
	return Expr{Imports: slices.Compact(imports), Code: fmt.Sprintf(
		`fmt.Errorf("%%w: %%w", %s, %s)`, outer.Code, inner.Code)}
}
