package resolve

import (
	"strconv"

	"github.com/errgen/errgen/internal/naming"
)

// idents makes identifiers unique. Its values count the requests for each name.
type idents map[string]int

func newIdents() idents { return make(idents) }

// take returns name. If name is taken or reserved, it adds a number.
func (ids idents) take(name string) string {
	free := name
	for ids[free] > 0 || naming.Reserved(free) {
		ids[name]++
		free = name + strconv.Itoa(max(2, ids[name]))
	}
	ids[free]++
	return free
}

// exported returns a name as an exported identifier. If that is impossible, it returns X and the
// number.
func exported(name string, n int) string { return convertOr(naming.Exported, name, "X", n) }

// suffix returns a name as the end of an identifier. If that is impossible, it returns X and the
// number.
func suffix(name string, n int) string { return convertOr(naming.Suffix, name, "X", n) }

// unexported returns a name as an unexported identifier. If that is impossible, it returns x and
// the number.
func unexported(name string, n int) string { return convertOr(naming.Unexported, name, "x", n) }

// convertOr returns the converted name. If it cannot be converted, it returns the placeholder and
// the number.
func convertOr(convert func(string) (string, bool), name, placeholder string, n int) string {
	if ident, ok := convert(name); ok {
		return ident
	}
	return placeholder + strconv.Itoa(n)
}
