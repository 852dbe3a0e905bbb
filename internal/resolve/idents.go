package resolve

import (
	"strconv"

	"github.com/errgen/errgen/internal/naming"
)

// idents hands out identifiers, each once. It holds how often each name was asked for.
type idents map[string]int

func newIdents() idents { return make(idents) }

// take returns name, with a number behind it when name is taken or reserved.
func (ids idents) take(name string) string {
	free := name
	for ids[free] > 0 || naming.Reserved(free) {
		ids[name]++
		free = name + strconv.Itoa(max(2, ids[name]))
	}
	ids[free]++
	return free
}

// exported, suffix, unexported and param are naming's functions with a placeholder where a name
// cannot become an identifier: X and the given number.
func exported(name string, n int) string { return or(naming.Exported, name, "X", n) }

func suffix(name string, n int) string { return or(naming.Suffix, name, "X", n) }

func unexported(name string, n int) string { return or(naming.Unexported, name, "x", n) }

func or(convert func(string) (string, bool), name, placeholder string, n int) string {
	if ident, ok := convert(name); ok {
		return ident
	}
	return placeholder + strconv.Itoa(n)
}
