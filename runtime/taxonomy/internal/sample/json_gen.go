package sample

import (
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// UnmarshalError reads an error of this taxonomy from the JSON that AppendJSON wrote. An unknown code gives a
// *taxonomy.Unknown.
func UnmarshalError(b []byte) (taxonomy.Error, error) { return gen.Unmarshal(b, &definition, decode) }

func decode(d *gen.Decoder) taxonomy.Error {
	switch d.Category() {
	case categoryProvider:
		e := &ProviderError{code: ProviderCode(d.Ordinal()), cause: d.Cause()}
		for d.Next() {
			e.decodeField(d)
		}
		return e
	case categoryWork:
		e := &WorkError{code: WorkCode(d.Ordinal()), cause: d.Cause()}
		for d.Next() {
			e.decodeField(d)
		}
		return e
	default:
		e := &KindsError{code: KindsCode(d.Ordinal()), cause: d.Cause()}
		for d.Next() {
			e.decodeField(d)
		}
		return e
	}
}
