package recovery

import (
	"fmt"
	"strconv"

	"github.com/errgen/errgen/runtime/internal/text"
)

// Bounds in bytes on what is kept of others' texts.
const (
	maxMessage = 1 << 10
	maxOutput  = 4 << 10
	maxShown   = 120
)

// thrown returns the text of a panic.
func thrown(p any) string { return text.Beginning(fmt.Sprint("panic: ", p), maxMessage) }

// quotedASCII quotes a name that others chose, so that letters of other scripts that look the same
// can be told apart.
func quotedASCII(s string) string { return strconv.QuoteToASCII(text.Beginning(s, maxShown)) }
