package workspace

import (
	"errors"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
)

// beginList opens the list that a heading below "Scope" names.
func (p *taskParser) beginList(n int, heading string) {
	p.endList()
	p.name, p.line, p.to, p.items = heading, n, p.listOf(heading), 0
	if p.to != nil {
		p.lists++
	}
}

// listOf returns the list that a text names by its first word, or nil.
func (p *taskParser) listOf(text string) *[]string {
	word, _, _ := strings.Cut(nameOf(text), " ")
	switch strings.Trim(word, "*_:") {
	case "allowed":
		return &p.task.Allowed
	case "forbidden":
		return &p.task.Forbidden
	case "ask":
		return &p.task.Ask
	}
	return nil
}

// endList closes the list, which must have had an item.
func (p *taskParser) endList() {
	if p.to != nil && p.items == 0 {
		p.faults.add("line %d: no paths are listed below %s", p.line, text.Quote(p.name, maxQuoted))
	}
	p.to, p.name = nil, ""
}

// endScope closes the scope, which must have had a list.
func (p *taskParser) endScope() {
	if p.scope == 0 {
		return
	}
	p.endList()
	if p.lists == 0 {
		p.faults.add("line %d: the scope has none of the lists Allowed, Forbidden, Ask", p.start)
	}
	p.scope = 0
}

// scopeLine reads a line below "Scope" that is no heading.
func (p *taskParser) scopeLine(n int, line string) {
	text, item := itemOf(line)
	if !item {
		p.scopeText(n, line)
		return
	}
	if p.to == nil {
		p.faults.add("line %d: the item belongs to none of the lists Allowed, Forbidden, Ask", n)
		return
	}
	p.items++
	paths, err := itemPaths(text)
	if err == nil && len(paths) == 0 && p.to == &p.task.Allowed {
		err = errors.New("a task to which nothing is allowed cannot be done")
	}
	if err != nil {
		p.faults.add("line %d: %w", n, err)
		return
	}
	*p.to = append(*p.to, paths...)
}

// scopeText reads a line below "Scope" that is no item: a list may be named there, too, and paths
// may not be.
func (p *taskParser) scopeText(n int, line string) {
	switch {
	case strings.HasSuffix(strings.TrimRight(line, "*_"), ":") && p.listOf(line) != nil:
		p.beginList(n, line)
	case strings.Contains(line, "`"):
		p.faults.add("line %d: paths count as items of a list only", n)
	}
}

// itemOf returns the text of a list's item.
func itemOf(line string) (text string, ok bool) {
	marker, rest, found := strings.Cut(line, " ")
	if !found {
		return "", false
	}
	number := strings.TrimLeft(marker, "0123456789")
	if marker != "-" && marker != "*" && marker != "+" && (number == marker || number != "." && number != ")") {
		return "", false
	}
	rest = strings.TrimSpace(rest)
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		rest = strings.TrimPrefix(rest, box)
	}
	return rest, true
}

// itemPaths returns the paths of an item.
func itemPaths(text string) ([]string, error) {
	switch nameOf(text) {
	case "none", "nothing", "n/a":
		return nil, nil
	case "everything", "anything", "all":
		return []string{"**"}, nil
	}
	if !strings.HasPrefix(text, "`") {
		return barePath(text)
	}
	var paths []string
	for {
		path, rest, ok := codeSpan(text)
		if !ok {
			return nil, errors.New("the backticks do not match")
		}
		paths = append(paths, path)
		rest = strings.TrimLeft(rest, " \t")
		text = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(rest, ","), "and "), " \t")
		if text == rest || !strings.HasPrefix(text, "`") {
			if strings.Contains(rest, "`") {
				return nil, errors.New("a remark names further paths; give each path an item of its own")
			}
			return paths, nil
		}
	}
}

// codeSpan returns the text between the backticks with which s begins, and what follows them.
func codeSpan(s string) (code, rest string, ok bool) {
	ticks := s[:len(s)-len(strings.TrimLeft(s, "`"))]
	code, rest, ok = strings.Cut(s[len(ticks):], ticks)
	return strings.TrimSpace(code), rest, ok && !strings.HasPrefix(rest, "`")
}

// barePath returns the path of an item that has none in backticks: its only word, but for a remark.
func barePath(text string) ([]string, error) {
	path, remark, _ := strings.Cut(text, " ")
	remark = strings.TrimSpace(remark)
	remarked := remark == ""
	for _, mark := range []string{"(", "-", "–", "—", "#", "<!--"} {
		remarked = remarked || strings.HasPrefix(remark, mark)
	}
	if path == "" || !remarked || strings.ContainsAny(path, "`\\\"'<>()[]|") || strings.Contains(remark, "`") ||
		strings.HasSuffix(path, ",") {
		return nil, errors.New("it is not plain which path is meant; put it in backticks")
	}
	return []string{path}, nil
}
