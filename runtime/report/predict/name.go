package predict

import (
	"github.com/errgen/errgen/runtime/internal/text"
)

// longestName bounds the names of providers and codes that are kept, in bytes.
const longestName = 128

// name returns s as it is kept: masked, one line of text, and bounded.
func name(s string) string {
	return text.Printable(text.Head(s, longestName), "")
}
