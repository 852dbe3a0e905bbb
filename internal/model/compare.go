package model

import (
	"cmp"
	"strings"
)

// Compare orders two values of one type. Values of a type without an order are equal or not, and
// then in the order of their text.
func (v Value) Compare(w Value) int {
	switch v.Type {
	case Int, Int64:
		return cmp.Compare(v.Int, w.Int)
	case Uint64:
		return cmp.Compare(v.Uint, w.Uint)
	case Float64:
		return cmp.Compare(v.Float, w.Float)
	case Duration:
		return cmp.Compare(v.Duration, w.Duration)
	case Time:
		return v.Time.Compare(w.Time)
	case Bool:
		return cmp.Compare(number(v.Bool), number(w.Bool))
	case EnumType:
		return cmp.Compare(v.Index, w.Index)
	default:
		return strings.Compare(v.Str, w.Str)
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
