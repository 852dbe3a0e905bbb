package main

import "strings"

// block is a code fence or a comment, in which nothing is a heading. The zero block is none.
type block struct {
	end  string // what ends it
	line int    // where it begins
}

const commentEnd = "-->"

// holds takes a line, and reports whether it is part of a block, its first and last line among
// them.
func (b *block) holds(line string, number int) bool {
	trimmed := strings.Trim(line, " \t")
	switch {
	case b.end == "":
		b.begin(line, trimmed, number)
		return b.line == number
	case b.end == commentEnd && strings.Contains(line, commentEnd), b.end != commentEnd && closes(trimmed, b.end):
		*b = block{}
	}
	return true
}

// begin looks whether a line begins a block. A comment that ends in its line begins none.
func (b *block) begin(line, trimmed string, number int) {
	if rest, ok := strings.CutPrefix(trimmed, "<!--"); ok && len(line)-len(strings.TrimLeft(line, " ")) < 4 {
		if !strings.Contains(rest, commentEnd) {
			*b = block{commentEnd, number}
		}
		return
	}
	for _, char := range []string{"`", "~"} {
		n := len(trimmed) - len(strings.TrimLeft(trimmed, char))
		if n >= 3 && (char == "~" || !strings.Contains(trimmed[n:], char)) {
			*b = block{trimmed[:n], number}
		}
	}
}

// closes reports whether a line ends the fence: as long or longer, and nothing behind it.
func closes(trimmed, fence string) bool {
	return len(trimmed) >= len(fence) && strings.Trim(trimmed, fence[:1]) == ""
}

// open returns where the block began that has not ended, and what it is; nothing when there is
// none.
func (b *block) open() (line int, what string) {
	switch b.end {
	case "":
		return 0, ""
	case commentEnd:
		return b.line, "comment"
	}
	return b.line, "code fence"
}
