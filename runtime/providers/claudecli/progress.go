package claudecli

import (
	"cmp"

	"github.com/errgen/errgen/runtime/internal/text"
)

// maxProgress bounds in bytes what is said about progress.
const maxProgress = 200

// progress says in a line what a part of a message is about; "" for what nobody needs to know.
func (b *block) progress(mask func(string) string) string {
	switch b.Type {
	case "text":
		return line(b.Text, mask)
	case "tool_use":
		return line(b.Name+" "+cmp.Or(b.Input.FilePath, b.Input.Command, b.Input.Pattern), mask)
	}
	return ""
}

// line returns the beginning of a text, masked, as one line that a terminal can show.
func line(s string, mask func(string) string) string {
	return text.Mask(mask).OneLine(s, maxProgress)
}
