package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// task is a task of the file.
type task struct {
	ID, Title string
	// Prompt is the text of the task, without its status and boxes, which change during the work.
	Prompt    string
	DependsOn []string
	Done      bool
	line      int
}

var (
	heading = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	taskID  = regexp.MustCompile(`^([A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*-[0-9]+):[ \t]*(.+)$`)
	// almostTask is a heading that people take for a task's: a wrong level, dash, or no title.
	almostTask = regexp.MustCompile(`^\p{Lu}[\p{L}\p{N}_-]*[\p{Pd}\x{2212}]\p{N}+[ \t]*(?::|$)`)
	status     = regexp.MustCompile(`^[^|]*\bP[0-9]\b[^|]*\|([^|]*)`)
	depends    = regexp.MustCompile(`(?i)^[ \t]*(?:[-*+][ \t]+)?\*\*depends on(?::\*\*|\*\*:)(.*)$`)
	// almostDepends is a line that people take for dependencies.
	almostDepends = regexp.MustCompile(`(?i)^[ \t]*(?:[-*+][ \t]+)?(?:\*\*)?(?:depends on|dependencies)(?:\*\*)?:`)
	reference     = regexp.MustCompile(`[A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*-[0-9]+`)
	noReference   = regexp.MustCompile(`(?i)^[ \t]*\[?(?:—|–|-|none|nothing|n/a)?\]?[ \t]*$`)
	box           = regexp.MustCompile(`^([ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)\[[ xX]\][ \t]`)
)

// reader reads a file of tasks.
type reader struct {
	tasks    []task
	body     []string
	open     bool // a task is open
	ranked   bool // its status was read
	problems []error
}

func (r *reader) wrong(line int, format string, args ...any) {
	r.problems = append(r.problems, fmt.Errorf("line %d: %w", line, fmt.Errorf(format, args...)))
}

// parseTasks reads the tasks of a Markdown file. Text in code fences is part of the task that
// contains it.
func parseTasks(text string) ([]task, error) {
	r := &reader{}
	fence := ""
	for i, line := range strings.Split(strings.TrimPrefix(text, "\uFEFF"), "\n") {
		line = strings.TrimRight(line, "\r")
		switch mark := fenceOf(line); {
		case fence != "":
			if strings.HasPrefix(mark, fence) && strings.TrimSpace(line) == mark {
				fence = ""
			}
			r.body = append(r.body, line)
		case mark != "":
			fence = mark
			r.body = append(r.body, line)
		default:
			r.line(i+1, line)
		}
	}
	if fence != "" {
		r.wrong(strings.Count(text, "\n")+1, "a code fence is not closed, and hides the tasks in it")
	}
	r.close()
	r.check()
	return r.tasks, errors.Join(r.problems...)
}

// fenceOf returns the characters that open or close a code fence, or nothing.
func fenceOf(line string) string {
	s := strings.TrimSpace(line)
	for _, c := range []string{"`", "~"} {
		if n := len(s) - len(strings.TrimLeft(s, c)); n >= 3 {
			return s[:n]
		}
	}
	return ""
}

func (r *reader) line(n int, line string) {
	m := heading.FindStringSubmatch(line)
	if m == nil {
		if r.open {
			r.content(n, line)
		}
		return
	}
	id := taskID.FindStringSubmatch(m[2])
	switch level := len(m[1]); {
	case level == 3 && id != nil:
		r.close()
		r.tasks = append(r.tasks, task{ID: id[1], Title: id[2], line: n})
		r.open, r.ranked, r.body = true, false, nil
	case id != nil || almostTask.MatchString(m[2]):
		r.wrong(n, "%q is not a task; a task begins with: ### TASK-001: Title", m[2])
	case level <= 3:
		r.close()
	default:
		r.body = append(r.body, line)
	}
}

func (r *reader) content(n int, line string) {
	t := &r.tasks[len(r.tasks)-1]
	if m := status.FindStringSubmatch(line); m != nil && !r.ranked {
		word := strings.TrimSpace(m[1])
		t.Done = strings.Contains(word, "✅") || strings.EqualFold(word, "done")
		r.ranked = true
		return
	}
	if m := depends.FindStringSubmatch(line); m != nil {
		ids := reference.FindAllString(m[1], -1)
		if ids == nil && !noReference.MatchString(m[1]) {
			r.wrong(n, "task %s depends on %q, which is not an ID such as [TASK-001]", t.ID, strings.TrimSpace(m[1]))
		}
		t.DependsOn = append(t.DependsOn, ids...)
	} else if almostDepends.MatchString(line) {
		r.wrong(n, "%q must be written as: **Depends on:** [TASK-001], [TASK-002]", strings.TrimSpace(line))
	}
	r.body = append(r.body, box.ReplaceAllString(line, "$1"))
}

// close ends the open task.
func (r *reader) close() {
	if r.open {
		t := &r.tasks[len(r.tasks)-1]
		t.Prompt = "# " + t.ID + ": " + t.Title + "\n\n" + strings.TrimSpace(strings.Join(r.body, "\n")) + "\n"
	}
	r.open = false
}

// check finds duplicate tasks, unknown dependencies and cycles.
func (r *reader) check() {
	byID := map[string]*task{}
	for i := range r.tasks {
		t := &r.tasks[i]
		if first := byID[t.ID]; first != nil {
			r.wrong(t.line, "task %s is duplicated, see line %d", t.ID, first.line)
		}
		byID[t.ID] = t
	}
	if len(r.tasks) == 0 && len(r.problems) == 0 {
		r.wrong(1, "there is no task; a task begins with: ### TASK-001: Title")
	}
	for _, t := range r.tasks {
		for _, id := range t.DependsOn {
			if byID[id] == nil {
				r.wrong(t.line, "task %s depends on %s, which is not a task of the file", t.ID, id)
			}
		}
	}
	visited := map[string]bool{}
	var path []string
	var visit func(id string) bool
	visit = func(id string) bool {
		if i := slices.Index(path, id); i >= 0 {
			r.wrong(byID[id].line, "tasks depend on each other: %s", strings.Join(append(path[i:], id), " → "))
			return true
		}
		if visited[id] || byID[id] == nil {
			return false
		}
		visited[id] = true
		path = append(path, id)
		defer func() { path = path[:len(path)-1] }()
		return slices.ContainsFunc(byID[id].DependsOn, visit)
	}
	for _, t := range r.tasks {
		if visit(t.ID) {
			return
		}
	}
}
