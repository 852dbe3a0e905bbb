package plan

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// maxPlaceholders is how many placeholders are looked for.
const maxPlaceholders = 8

// says reports whether a text has a letter or a digit.
func says(text string) bool {
	return strings.ContainsFunc(
		text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '?' })
}

// expressions are what placeholders are found by. Go's regular expressions take linear time.
type expressions struct{ quoted, marker, line, label, bracketed, word, about, write *regexp.Regexp }

var finding = sync.OnceValue(func() expressions {
	return expressions{
		quoted: regexp.MustCompile("``[^`]*``|`[^`]*`|\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]"),
		marker: regexp.MustCompile(`^(?:[-*+>]|\d{1,9}[.)]|\[[ xX]\]|#{1,6})\s+`),
		line:   regexp.MustCompile(`^(?:TBD|TBC|TODO|\?+)$`),
		label:  regexp.MustCompile(`^[\w./-]+(?: [\w./-]+){0,2} ?[:=]\s*(TBD|TBC|\?{3,})\.?$`),
		bracketed: regexp.MustCompile(
			`(?i)(?:^|[\s(:=])(<(?:TBD|TBC|TODO|\?{1,9}|\.{3}|…|(?:insert|fill in|choose|decide|your) [^<>]{1,80})>|` +
				`\[(?:TBD|TBC|TODO|\?{3,9})\]|\((?:TBD|TBC)\))(?:$|[\s,.;:)])`),
		word: regexp.MustCompile(`(?:^|\s)(\?{3,})(?:$|[\s,.;:])`),
		about: regexp.MustCompile(
			`(?i)\b(?:replac|remov|find|search|grep|fill|resolv|delet|look|list|count|scan|report|mark|mention|conta` +
				`in|` +
				`placeholder|every\b|each\b|all\b|any\b|no\b|without\b|where)`),
		write: regexp.MustCompile(`(?i)^(?:set|print|write|put|say|show|add|use|keep|leave|call)\b`),
	}
})

// placeholders returns the first placeholders of instructions, in their order.
func placeholders(text string) []string {
	var found []string
	for line := range plainLines(text) {
		if open := placeholder(line); open != "" {
			if found = append(found, open); len(found) == maxPlaceholders {
				break
			}
		}
	}
	return found
}

// onlyPlaceholders reports whether no line says anything but that it is open.
func onlyPlaceholders(text string) bool {
	if strings.Contains(text, "```") || strings.Contains(text, "~~~") {
		return false
	}
	for line := range strings.Lines(text) {
		if line = bare(line); says(line) && !open(line) {
			return false
		}
	}
	return true
}

// open reports whether a line is a placeholder and nothing else.
func open(line string) bool {
	return finding().line.MatchString(line) || strings.Trim(finding().bracketed.ReplaceAllString(line, ""), " .") == ""
}

// placeholder returns the placeholder of a line without quotes, or "".
func placeholder(line string) string {
	find := finding()
	if find.line.MatchString(line) {
		return line
	}
	if find.about.MatchString(line) {
		return ""
	}
	if m := find.label.FindStringSubmatch(line); m != nil && !find.write.MatchString(line) {
		return m[1]
	}
	for _, expression := range []*regexp.Regexp{find.bracketed, find.word} {
		if m := expression.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return ""
}

// plainLines yields the lines of a Markdown text outside of code, without markers and quotes.
func plainLines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		fence := ""
		for line := range strings.Lines(text) {
			trimmed := strings.TrimSpace(line)
			switch {
			case fence != "":
				if strings.HasPrefix(trimmed, fence) {
					fence = ""
				}
				continue
			case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
				fence = trimmed[:3]
				continue
			}
			if !yield(bare(finding().quoted.ReplaceAllString(line, `""`))) {
				return
			}
		}
	}
}

// trimmed returns a line without emphasis as a whole. What it ends with goes, too, if nothing but a
// placeholder is left.
func trimmed(line string) string {
	line = strings.TrimSpace(strings.Trim(line, "*_"))
	if word := strings.Trim(line, "*_.:! "); finding().line.MatchString(word) {
		return word
	}
	return line
}

// bare returns a line without what Markdown puts around a text.
func bare(line string) string {
	line = strings.TrimSpace(line)
	for {
		rest := finding().marker.ReplaceAllString(line, "")
		if rest == line {
			return trimmed(line)
		}
		line = rest
	}
}
