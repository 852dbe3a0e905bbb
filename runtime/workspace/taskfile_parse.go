package workspace

import "strings"

// taskParser reads a task line by line: headings, fences and comments as Markdown has them, and
// lists below "Scope".
type taskParser struct {
	task   TaskFile
	about  strings.Builder // the goal
	faults faults

	fence   string // what the open fence consists of, or ""
	comment bool   // within an HTML comment
	before  string // the line before, if it may be a heading that the next line underlines

	goal  int // level of the heading "Goal" that is open, or 0
	scope int // level of the heading "Scope" that is open, or 0
	scopeList
}

// scopeList is the list of the scope that is being read.
type scopeList struct {
	name  string    // as it is headed
	to    *[]string // where its paths go; nil for a heading that is none of the lists
	line  int
	items int
	lists int // how many lists the scope had
	start int // the line of the scope's own heading
}

func (p *taskParser) parse(text string) {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		p.read(n, strings.TrimRight(line, " \t\r"))
	}
	p.endScope()
}

// read reads one line.
func (p *taskParser) read(n int, line string) {
	trimmed := strings.TrimLeft(line, " \t")
	before := p.before
	p.before = ""
	switch {
	case p.comment:
		p.comment = !strings.Contains(line, "-->")
	case p.fence != "":
		p.text(line)
		if strings.HasPrefix(trimmed, p.fence) && strings.Trim(trimmed, p.fence[:1]) == "" {
			p.fence = ""
		}
	case strings.HasPrefix(trimmed, "<!--"):
		p.comment = !strings.Contains(line, "-->")
	case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
		p.fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
		p.text(line)
	case before != "" && underline(trimmed) > 0:
		p.heading(n-1, underline(trimmed), before)
	default:
		if level, heading, ok := heading(trimmed); ok {
			p.heading(n, level, heading)
			return
		}
		p.plain(n, line, trimmed)
	}
}

// plain reads a line that is no heading.
func (p *taskParser) plain(n int, line, trimmed string) {
	p.text(line)
	if p.scope > 0 {
		p.scopeLine(n, trimmed)
	}
	if _, item := itemOf(trimmed); !item {
		p.before = trimmed
	}
}

// text takes a line that may be part of the goal.
func (p *taskParser) text(line string) {
	if p.goal > 0 {
		p.about.WriteString(line + "\n")
	}
}

// heading opens and closes sections.
func (p *taskParser) heading(n, level int, heading string) {
	if p.goal >= level {
		p.goal = 0
	}
	if p.scope >= level {
		p.endScope()
	}
	switch name := nameOf(heading); {
	case p.scope > 0:
		p.beginList(n, heading)
	case level == 1 && p.task.Title == "":
		p.task.Title = title(heading)
	case name == "goal" && p.about.Len() == 0:
		p.goal = level
	case name == "scope":
		p.scope, p.scopeList = level, scopeList{start: n}
	}
}

// heading returns the level and text of a heading that begins with #.
func heading(line string) (level int, text string, ok bool) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	if level == 0 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, "", false
	}
	return level, strings.TrimSpace(strings.TrimRight(rest, "# \t")), true
}

// underline returns the level of the heading that a line underlines, or 0.
func underline(line string) int {
	switch {
	case line == "":
		return 0
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}

// nameOf returns a heading without emphasis and punctuation at its ends, in lower case.
func nameOf(heading string) string { return strings.ToLower(strings.Trim(heading, " \t*_:.`")) }
