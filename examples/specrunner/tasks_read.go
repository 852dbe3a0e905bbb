package main

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"
)

// draft is a task that is being read.
type draft struct {
	task
	line      int
	milestone string
	body      []string
	ranked    bool // its status was read
	named     []reference
}

// reference is a task that a line names.
type reference struct {
	id   string
	line int
}

// taskReader reads a file line by line.
type taskReader struct {
	number    int
	milestone string
	current   *draft
	drafts    []*draft
	problems  []error
	block     block
	paragraph paragraph
}

var (
	// heading is a heading of any level. What follows its number signs is its text, without signs
	// at its end.
	heading = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$`)
	// taskHeading is the text of a heading that begins a task.
	taskHeading  = regexp.MustCompile(`^([A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*-[0-9]+):[ \t]*(.*)$`)
	checkbox     = regexp.MustCompile(`^([ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)\[[ xX]\][ \t]`)
	milestoneWas = regexp.MustCompile(`(?i)^milestone\b`)
)

func (r *taskReader) wrong(line int, format string, args ...any) {
	r.problems = append(r.problems, wrongAt(line, format, args...))
}

// read takes the next line.
func (r *taskReader) read(line string) {
	r.number++
	if r.block.holds(line, r.number) {
		r.paragraph = paragraph{}
		r.keep(line)
		return
	}
	r.underline(line)
	var m []string
	if strings.HasPrefix(strings.TrimLeft(line, " "), "#") {
		m = heading.FindStringSubmatch(line)
	}
	if m == nil {
		if text, ok := unspaced(line); ok {
			r.wrong(r.number, "%s", noTask(text, 0))
		}
		r.content(line)
		return
	}
	switch level, text := len(m[1]), m[2]; {
	case level == 3:
		r.begin(text)
	case level < 3:
		r.finish()
		if level == 2 && likeTask(text) {
			r.wrong(r.number, "%s", noTask(text, level))
		}
		r.milestone = ""
		if level == 2 && milestoneWas.MatchString(text) {
			r.milestone = text
		}
	default:
		switch {
		case likeTask(text):
			r.wrong(r.number, "%s", noTask(text, level))
		case r.current != nil && headsDependencies.MatchString(text):
			r.wrong(r.number, "%s", misnamed(line))
		}
		r.keep(line)
	}
}

// begin begins a task, if a heading is one's.
func (r *taskReader) begin(text string) {
	r.finish()
	m := taskHeading.FindStringSubmatch(text)
	switch {
	case m == nil && (likeTask(text) || nearlyTask.MatchString(text)):
		r.wrong(r.number, "%s", noTask(text, 3))
	case m == nil:
	case m[2] == "":
		r.wrong(r.number, "task %s has no title", m[1])
	case len(m[1]) > maxTaskID:
		r.wrong(r.number, "the ID %s... is longer than %d characters", m[1][:maxTaskID], maxTaskID)
	default:
		r.current = &draft{task: task{ID: m[1], Title: m[2], Priority: lastPriority}, line: r.number,
			milestone: r.milestone}
	}
}

// content takes a line of a task that stands for itself.
func (r *taskReader) content(line string) {
	d := r.current
	if d == nil {
		return
	}
	if rank, ok := rankOf(line); ok && !d.ranked {
		d.ranked, d.Done, d.Priority = true, rank.done, rank.priority
		if ranksDependencies.MatchString(line) {
			r.wrong(r.number, "%s", misnamed(line))
		}
		return
	}
	if names, ok := dependencies(line); ok {
		ids, err := idsIn(names)
		if err != "" {
			r.wrong(r.number, "task %s depends on %s", d.ID, err)
		}
		for _, id := range ids {
			d.named = append(d.named, reference{id, r.number})
		}
	} else if misnames(line) {
		r.wrong(r.number, "%s", misnamed(line))
	}
	// Boxes are ticked while the task is worked on. Without them the prompt stays the one that a
	// run was begun with.
	if strings.Contains(line, "[") {
		line = checkbox.ReplaceAllString(line, "$1")
	}
	r.keep(line)
}

// keep adds a line to the task's text.
func (r *taskReader) keep(line string) {
	if r.current != nil {
		r.current.body = append(r.current.body, line)
	}
}

// finish ends a task.
func (r *taskReader) finish() {
	d := r.current
	if d == nil {
		return
	}
	r.current = nil
	d.Prompt = d.prompt()
	d.body = nil
	r.drafts = append(r.drafts, d)
}

// end ends the file.
func (r *taskReader) end() {
	if line, what := r.block.open(); what != "" {
		r.wrong(line, "the %s that begins here has no end, and would hide every task behind it", what)
	}
	r.finish()
}

// prompt is what the agent is told.
func (d *draft) prompt() string {
	var b strings.Builder
	b.WriteString("# " + d.ID + ": " + d.Title + "\n")
	if d.milestone != "" {
		b.WriteString("\n" + d.milestone + "\n")
	}
	if body := trimBlank(d.body); len(body) > 0 {
		b.WriteString("\n" + strings.Join(body, "\n") + "\n")
	}
	return b.String()
}

// trimBlank returns lines without blank ones at both ends.
func trimBlank(lines []string) []string {
	blank := func(line string) bool { return strings.TrimSpace(line) == "" }
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func (r *taskReader) tasks() []task {
	tasks := make([]task, len(r.drafts))
	for i, d := range r.drafts {
		tasks[i] = d.task
	}
	return tasks
}

// sorted returns the problems in the order of the lines.
func (r *taskReader) sorted() []error {
	slices.SortStableFunc(r.problems, func(a, b error) int { return cmp.Compare(lineOf(a), lineOf(b)) })
	return r.problems
}

func lineOf(err error) int {
	if e, ok := errors.AsType[*lineError](err); ok {
		return e.line
	}
	return 0
}
