package recovery

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/internal/excerpt"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds in bytes on what is kept of others' texts.
const (
	maxMessage = 1 << 10
	maxOutput  = 4 << 10
	maxShown   = 120
)

func masked(s string) string { return taxonomy.Scrub(strings.ToValidUTF8(s, "\uFFFD")) }

// begun returns the beginning of s, secrets masked.
func begun(s string, limit int) string { return excerpt.Beginning(s, limit, masked) }

// ended returns the end of s, secrets masked.
func ended(s string, limit int) string { return excerpt.Ending(s, limit, masked) }

// quoted returns a name that others have given, so that it can be seen for what it is.
func quoted(s string) string { return strconv.QuoteToASCII(begun(s, maxShown)) }

// shown returns what an error says, masked and bounded, whatever its method does.
func shown(err error) (text string) {
	if err == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T that cannot be shown", err)
		}
	}()
	return begun(err.Error(), maxMessage)
}

// thrown returns what a panic says.
func thrown(p any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("panic with a %T", p)
		}
	}()
	return begun(fmt.Sprint("panic: ", p), maxMessage)
}
