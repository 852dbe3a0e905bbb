// Package taskfile reads tasks from Markdown files and moves the files by outcome.
//
//	# TASK: Handle errors by category
//
//	Handle errors in `src/executor.ts` by category.
//
//	## Scope
//
//	### Allowed
//	- `src/executor.ts`
//	- `test/**`, `docs/`
//
//	### Forbidden
//	- `src/commands/` (read-only)
//
//	### Ask first
//	- `package.json`
//
// [Read] refuses a scope that it does not understand, because nothing would guard the task then. A
// [Filer] moves the file to completed/, blocked/ or failed/.
package taskfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Task is a task as its file describes it.
type Task struct {
	// Title is the first heading of level 1, without "TASK:"; empty without one.
	Title string
	// Allowed, Forbidden and Ask are the patterns below the headings of these names in the section
	// "Scope"; see [scope.Config].
	Allowed, Forbidden, Ask []string
	// Prompt is the whole text.
	Prompt string
}

// Scope returns the scope of the task.
func (t Task) Scope(mode scope.Mode) scope.Config {
	return scope.Config{Mode: mode, Allowed: t.Allowed, Forbidden: t.Forbidden, Ask: t.Ask}
}

// maxBytes is the longest task file.
const maxBytes = 1 << 20

// Read reads the task file at path. Errors are those of [Parse], with the path.
func Read(path string) (Task, error) {
	f, err := os.Open(path)
	if err != nil {
		return Task{}, unreadable(err, path)
	}
	defer f.Close()
	t, err := Parse(f)
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok {
		ev.Attributes = map[string]string{"path": path}
	}
	return t, err
}

// Parse reads a task file. In the section "Scope" each item of a list is one or more paths in
// backticks, separated by commas or "and", with an optional remark after them; an item of one word
// needs no backticks; the item "none" is empty. [scope.New] checks the patterns.
//
// The error is evidence (source config, op load_config, type parse) with a line for each mistake.
func Parse(r io.Reader) (Task, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return Task{}, unreadable(err, "")
	}
	p := parser{}
	content := strings.ReplaceAll(strings.TrimPrefix(string(b), "\uFEFF"), "\r\n", "\n")
	switch {
	case len(b) > maxBytes:
		p.add("the task is longer than %d bytes", maxBytes)
	case !utf8.ValidString(content) || strings.IndexByte(content, 0) >= 0:
		p.add("the task is not a text in UTF-8")
	case strings.TrimSpace(content) == "":
		p.add("the task is empty")
	default:
		p.parse(content)
	}
	if len(p.mistakes) > 0 {
		err := errors.Join(p.mistakes...)
		return Task{}, &taxonomy.Evidence{
			Source: "config", Op: "load_config", Type: "parse", Text: err.Error(), Err: err,
		}
	}
	p.task.Prompt = content
	return p.task, nil
}

// unreadable is evidence of a task file that cannot be read.
func unreadable(err error, path string) error {
	ev := detect.Of(fmt.Errorf("read task: %w", err))
	ev.Source, ev.Op = "config", "load_config"
	if errors.Is(err, fs.ErrNotExist) {
		ev.Type = "missing"
	}
	if path != "" {
		ev.Attributes = map[string]string{"path": path}
	}
	return &ev
}

// parser reads a task line by line.
type parser struct {
	task     Task
	mistakes []error

	fence   string // the open code fence
	comment bool   // within an HTML comment

	scopeLevel int // of the open heading "Scope"; 0 if closed
	scopeLine  int // of that heading
	lists      int // of the open scope

	list     *[]string // the open list; nil below another heading
	listName string
	listLine int
	items    int
}

// maxMistakes bounds how many mistakes are reported.
const maxMistakes = 50

func (p *parser) add(format string, args ...any) {
	if len(p.mistakes) < maxMistakes {
		p.mistakes = append(p.mistakes, fmt.Errorf(format, args...))
	}
}

var (
	headingLine = regexp.MustCompile(`^(#{1,6})(?:[ \t]+(.*?))?[ \t]*#*$`)
	fenceLine   = regexp.MustCompile("^(```+|~~~+)")
	itemLine    = regexp.MustCompile(`^(?:[-*+]|[0-9]+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)$`)
	underline   = regexp.MustCompile(`^(?:=+|-+)$`)
	codeSpan    = regexp.MustCompile("^`([^`]+)`(?:[ \t]*,[ \t]*|[ \t]+and[ \t]+)?")
)

func (p *parser) parse(content string) {
	n, last := 0, ""
	for line := range strings.SplitSeq(content, "\n") {
		n++
		before, trimmed := last, strings.TrimSpace(line)
		last = trimmed
		fence := fenceLine.FindString(trimmed)
		switch {
		case p.comment || p.fence == "" && strings.HasPrefix(trimmed, "<!--"):
			_, after, closed := strings.Cut(line, "-->")
			p.comment = !closed
			if strings.TrimSpace(after) != "" && p.scopeLevel > 0 {
				p.add("line %d: text after a comment; write it on a line of its own", n)
			}
		case p.fence != "":
			if strings.HasPrefix(fence, p.fence) && fence == trimmed {
				p.fence = ""
			}
		case fence != "":
			p.fence = fence
		default:
			if h := headingLine.FindStringSubmatch(trimmed); h != nil {
				p.heading(n, len(h[1]), h[2])
				break
			}
			if underline.MatchString(trimmed) && strings.HasPrefix(plain(before), "scope") {
				p.add("line %d: write the heading as ## Scope", n-1)
			}
			if p.scopeLevel > 0 {
				p.inScope(n, trimmed)
			}
		}
	}
	p.endScope()
	if p.comment || p.fence != "" {
		p.add("a comment or a code block is not closed")
	}
}

// heading closes the sections that it ends, and opens one.
func (p *parser) heading(n, level int, heading string) {
	if p.scopeLevel >= level {
		p.endScope()
	}
	switch name := plain(heading); {
	case p.scopeLevel > 0:
		p.beginList(n, heading)
	case level == 1 && p.task.Title == "":
		if len(heading) > 5 && strings.EqualFold(heading[:5], "task:") {
			heading = heading[5:]
		}
		p.task.Title = text.OneLine(heading, 200)
	case strings.HasPrefix(name, "scope"):
		p.scopeLevel, p.scopeLine, p.lists = level, n, 0
	}
}

// plain returns a text in lower case, without emphasis and punctuation around it.
func plain(s string) string { return strings.ToLower(strings.Trim(s, " \t*_:.`")) }

// beginList opens the list that a heading names with its first word.
func (p *parser) beginList(n int, heading string) {
	p.endList()
	word, _, _ := strings.Cut(plain(heading), " ")
	switch plain(word) {
	case "allowed":
		p.list = &p.task.Allowed
	case "forbidden":
		p.list = &p.task.Forbidden
	case "ask":
		p.list = &p.task.Ask
	default:
		return
	}
	p.listName, p.listLine, p.items = heading, n, 0
	p.lists++
}

func (p *parser) endList() {
	if p.list != nil && p.items == 0 {
		p.add("line %d: no paths are listed below %s", p.listLine, text.Quote(p.listName, 200))
	}
	p.list = nil
}

func (p *parser) endScope() {
	if p.scopeLevel == 0 {
		return
	}
	p.endList()
	if p.lists == 0 {
		p.add("line %d: the scope needs a heading Allowed, Forbidden or Ask", p.scopeLine)
	}
	p.scopeLevel = 0
}

// inScope reads a line of the scope that is no heading.
func (p *parser) inScope(n int, line string) {
	item := itemLine.FindStringSubmatch(line)
	switch {
	case item == nil:
		if strings.Contains(line, "`") {
			p.add("line %d: only items of a list can name paths", n)
		}
		return
	case p.list == nil:
		p.add("line %d: the item is not below one of the headings Allowed, Forbidden, Ask", n)
		return
	}
	p.items++
	paths, err := pathsOf(item[1])
	if err == nil && len(paths) == 0 && p.list == &p.task.Allowed {
		err = errors.New("a task needs at least one allowed path")
	}
	if err != nil {
		p.add("line %d: %w", n, err)
	}
	*p.list = append(*p.list, paths...)
}

// pathsOf returns the paths of an item.
func pathsOf(item string) (paths []string, err error) {
	if plain(item) == "none" {
		return nil, nil
	}
	if item != "" && !strings.ContainsAny(item, " \t`\\\"'<>()[]|,") {
		return []string{item}, nil
	}
	for span := codeSpan.FindStringSubmatch(item); span != nil; span = codeSpan.FindStringSubmatch(item) {
		paths = append(paths, strings.TrimSpace(span[1]))
		item = item[len(span[0]):]
	}
	if len(paths) == 0 || strings.Contains(item, "`") {
		return nil, errors.New("write each path in backticks, and no other text in backticks")
	}
	return paths, nil
}
