package state

import (
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
)

// Bounds in bytes on what is kept of texts.
const (
	maxError  = 4 << 10
	maxOutput = 16 << 10
	maxName   = 1 << 10
)

// textMask masks what the database keeps of texts that others wrote. NUL is replaced, too, because
// programs in C end a text there.
var textMask text.Mask = func(s string) string { return text.Masked(strings.ReplaceAll(s, "\x00", "\uFFFD")) }
