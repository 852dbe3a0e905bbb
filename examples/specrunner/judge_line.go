package main

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	escapes  = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[^\\[\\]])?")
	listItem = regexp.MustCompile(`^(?:[-+*•]|[0-9]{1,9}[.)]) +`)
)

// adornments are what Markdown stresses words with.
const adornments = "*_`~"

// bare returns a line as a terminal shows it: without commands to it, without what cannot be seen,
// and without what was overwritten.
func bare(line string) string {
	line = strings.TrimRight(line, "\r\n")
	line = line[strings.LastIndexByte(line, '\r')+1:]
	line = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.Is(unicode.Zs, r):
			return ' '
		case unicode.Is(unicode.C, r), unicode.Is(unicode.Variation_Selector, r), r == '\u034F', r == '\u2800',
			r == '\u3164':
			return -1
		}
		return r
	}, escapes.ReplaceAllString(line, ""))
	return strings.TrimSpace(strings.ReplaceAll(line, `\_`, "_"))
}

// unlisted returns an item of a list without its sign.
func unlisted(line string) (text string, listed bool) {
	text = listItem.ReplaceAllString(line, "")
	return text, text != line
}

// blank reports whether there is nothing to be seen.
func blank(lines ...string) bool {
	for _, line := range lines {
		for part := range strings.Lines(line) {
			if bare(part) != "" {
				return false
			}
		}
	}
	return true
}

// cutMarker reports whether a bare line is a marker, and returns what stands after its colon.
func cutMarker(line, marker string) (rest string, ok bool) {
	shown := strings.TrimLeftFunc(line, func(r rune) bool {
		return r == ' ' || r == '#' || strings.ContainsRune(adornments, r) || unicode.Is(unicode.So, r)
	})
	stress := line[:len(line)-len(shown)]
	stress = stress[strings.LastIndexByte(stress, ' ')+1:]
	rest, ok = strings.CutPrefix(shown, marker)
	if !ok {
		return "", false
	}
	after := strings.TrimLeft(rest, adornments)
	if after != rest {
		stress = ""
	}
	after = strings.TrimSpace(after)
	if strings.Trim(after, adornments+".! ") == "" {
		return "", true
	}
	for _, sign := range []string{":", "\uff1a", "- ", "– ", "— "} {
		if reason, ok := strings.CutPrefix(after, sign); ok {
			return unstressed(strings.TrimSpace(reason), stress), true
		}
	}
	return "", false
}

// unstressed returns a reason without the end of what its line is stressed with, or begins with:
// "**TASK_FAILED:** why".
func unstressed(reason, stress string) string {
	stress = strings.Trim(stress, "#")
	if stress == "" {
		return reason
	}
	if rest, ok := strings.CutPrefix(reason, stress); ok {
		return strings.TrimSpace(rest)
	}
	return strings.TrimSpace(strings.TrimSuffix(reason, stress))
}

// unfenced returns the lines of a text that are in no code fence. A fence that has no end is none.
func unfenced(text string) (out []string) {
	lines := strings.SplitAfter(text, "\n")
	endless := map[byte]int{} // from which length on a fence of a character has no end
	for i := 0; i < len(lines); i++ {
		var b block
		trimmed := strings.Trim(bare(lines[i]), " \t")
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			b.begin(trimmed, trimmed, i)
		}
		if b.end != "" && (endless[b.end[0]] == 0 || len(b.end) < endless[b.end[0]]) {
			if end := endOf(b.end, lines[i+1:]); end >= 0 {
				i += end + 1
				continue
			}
			endless[b.end[0]] = len(b.end)
		}
		out = append(out, lines[i])
	}
	return out
}

// endOf returns which of the lines ends the fence, or -1.
func endOf(fence string, lines []string) int {
	for i, line := range lines {
		if closes(strings.TrimSpace(line), fence) {
			return i
		}
	}
	return -1
}
