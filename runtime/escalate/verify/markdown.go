package verify

import "strings"

// markdown reads the lines of a Markdown text for its headings. The zero markdown is at the
// beginning of one.
type markdown struct {
	found []heading
	fence string // what has opened code; empty outside of it
	inset int    // how far code is set in by the item of a list that it is in; 0 for none
	until string // what ends HTML that is passed over; empty outside of it
	// paragraph are the lines of the one that is open, which an underline makes a heading.
	paragraph []string
	// item says that the open paragraph is that of a list or a quote, which no underline belongs
	// to.
	item bool
}

// line reads the next line, without its end.
func (m *markdown) line(line string) {
	text := strings.TrimLeft(line, " \t")
	indent := width(line[:len(line)-len(text)])
	if m.fence != "" && text != "" && indent < m.inset {
		m.fence = "" // the item ends, and the code with it
	}
	switch {
	case m.fence != "":
		if indent < m.inset+4 && closes(m.fence, text) {
			m.fence = ""
		}
	case m.until != "":
		if strings.Contains(strings.ToLower(text), m.until) {
			m.until = ""
		}
	case text == "":
		m.end()
	case indent >= 4:
		if m.paragraph != nil {
			m.paragraph = append(m.paragraph, text)
		}
	default:
		m.block(text, indent)
	}
}

// block reads a line that may begin a block.
func (m *markdown) block(text string, indent int) {
	if level, title := atx(text); level > 0 {
		m.end()
		m.add(level, title)
		return
	}
	inner := withoutMarkers(text)
	if m.fence = opens(inner); m.fence != "" {
		m.end()
		if m.inset = 0; inner != text {
			m.inset = indent + len(text) - len(inner)
		}
		return
	}
	if until := passedOver(text); until != "" {
		m.end()
		m.until = until
		return
	}
	if level := underline(text); level > 0 && m.paragraph != nil && !m.item {
		title := strings.Join(m.paragraph, " ")
		m.end()
		m.add(level, title)
		return
	}
	switch {
	case isBreak(text):
		m.end()
	case text[0] == '>', inner != text && (m.paragraph == nil || !isNumber(text) || isFirst(text)):
		m.end()
		m.item, m.paragraph = true, []string{}
	default:
		m.paragraph = append(m.paragraph, text)
	}
}

func (m *markdown) end() { m.paragraph, m.item = nil, false }

func (m *markdown) add(level int, title string) {
	m.found = append(m.found, heading{level: level, text: plainHeading(title)})
}

// width returns how far spaces and tabs go.
func width(space string) int {
	n := 0
	for _, r := range space {
		if n++; r == '\t' {
			n += (4 - n%4) % 4
		}
	}
	return n
}

// atx returns the level and the text of a heading that begins with #; level 0 is none.
func atx(text string) (level int, title string) {
	rest := strings.TrimLeft(text, "#")
	level = len(text) - len(rest)
	if level == 0 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	rest = strings.TrimSpace(rest)
	if cut := strings.TrimRight(rest, "#"); cut == "" || cut != rest &&
		(strings.HasSuffix(cut, " ") || strings.HasSuffix(cut, "\t")) {
		rest = strings.TrimSpace(cut)
	}
	return level, rest
}

// underline returns the level of the heading that a line underlines; 0 is none.
func underline(text string) int {
	text = strings.TrimRight(text, " \t")
	switch {
	case text == "":
		return 0
	case strings.Trim(text, "=") == "":
		return 1
	case strings.Trim(text, "-") == "":
		return 2
	}
	return 0
}

// isBreak reports whether a line is a rule across the page.
func isBreak(text string) bool {
	text = strings.NewReplacer(" ", "", "\t", "").Replace(text)
	return len(text) >= 3 &&
		(strings.Trim(text, "-") == "" || strings.Trim(text, "*") == "" || strings.Trim(text, "_") == "")
}

// opens returns what a line opens code with, or "".
func opens(text string) string {
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, mark)
		if n := len(text) - len(rest); n >= 3 && (mark == "~" || !strings.Contains(rest, "`")) {
			return text[:n]
		}
	}
	return ""
}

// closes reports whether a line closes the code that fence has opened.
func closes(fence, text string) bool {
	text = strings.TrimRight(text, " \t")
	return len(text) >= len(fence) && strings.Trim(text, fence[:1]) == ""
}

// passedOver returns what ends the HTML that a line begins and does not end; "" for a line that
// begins none.
func passedOver(text string) string {
	lower := strings.ToLower(text)
	if strings.HasPrefix(lower, "<!--") {
		return unlessIn(lower[2:], "-->")
	}
	for _, tag := range []string{"pre", "script", "style", "textarea"} {
		rest, ok := strings.CutPrefix(lower, "<"+tag)
		if ok && (rest == "" || strings.ContainsAny(rest[:1], " \t>")) {
			return unlessIn(rest, "</"+tag+">")
		}
	}
	return ""
}

func unlessIn(text, end string) string {
	if strings.Contains(text, end) {
		return ""
	}
	return end
}

// withoutMarkers returns a line without the markers of lists that it begins with.
func withoutMarkers(text string) string {
	for {
		rest := ""
		switch {
		case text != "" && strings.IndexByte("-*+", text[0]) >= 0:
			rest = text[1:]
		case isNumber(text):
			rest = strings.TrimLeft(text, "0123456789")[1:]
		default:
			return text
		}
		if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			return text
		}
		text = strings.TrimLeft(rest, " \t")
	}
}

// isNumber reports whether a line begins as one of a numbered list does.
func isNumber(text string) bool {
	rest := strings.TrimLeft(text, "0123456789")
	n := len(text) - len(rest)
	return n > 0 && n <= 9 && rest != "" && (rest[0] == '.' || rest[0] == ')')
}

// isFirst reports whether the number that a line begins with is 1. No other number ends a
// paragraph.
func isFirst(text string) bool { return strings.HasPrefix(text, "1.") || strings.HasPrefix(text, "1)") }
