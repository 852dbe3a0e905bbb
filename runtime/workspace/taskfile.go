package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TaskFile is a task as a Markdown file describes it.
type TaskFile struct {
	// Title is the first heading of the first level, without a "TASK:" in front; empty when there
	// is none.
	Title string
	// Goal is what stands below the heading "Goal".
	Goal string
	// Allowed, Forbidden and Ask are the patterns listed below these headings, below the heading
	// "Scope"; see [ScopeConfig].
	Allowed, Forbidden, Ask []string
	// Prompt is the whole text.
	Prompt string
}

// maxTaskFile bounds a task file, in bytes.
const maxTaskFile = 1 << 20

// Scope returns the task's part of a scope.
func (t TaskFile) Scope(mode ScopeMode) ScopeConfig {
	return ScopeConfig{Mode: mode, Allowed: t.Allowed, Forbidden: t.Forbidden, Ask: t.Ask}
}

// ReadTask reads the task file at the path. Errors are as those of [ParseTask], with the path.
func ReadTask(path string) (TaskFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return TaskFile{}, unreadable(err, path)
	}
	defer f.Close()
	t, err := ParseTask(f)
	var ev *taxonomy.Evidence
	if errors.As(err, &ev) {
		ev.Attributes = map[string]string{"path": path}
	}
	return t, err
}

// ParseTask reads a task file. A scope that is there must be understood, or nothing would guard the
// task: what is not plainly a list of paths is an error that names the line. In an item a path is
// best in backticks; a remark may follow it, as in "- `src/a.go` (read-only)". Whether the paths
// are good patterns is for [NewScope] to say.
//
// The error is evidence of the configuration, of type parse for the text, and has a line for each
// fault.
func ParseTask(r io.Reader) (TaskFile, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxTaskFile+1))
	if err != nil {
		return TaskFile{}, unreadable(err, "")
	}
	text := strings.TrimPrefix(string(b), "\uFEFF")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	p := &taskParser{}
	switch {
	case len(b) > maxTaskFile:
		p.faults.add("the task is longer than %d bytes", maxTaskFile)
	case !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0:
		p.faults.add("the task is not a text in UTF-8")
	case strings.TrimSpace(text) == "":
		p.faults.add("the task is empty")
	default:
		p.parse(text)
	}
	if len(p.faults.errs) > 0 {
		err := p.faults.joined()
		return TaskFile{},
			&taxonomy.Evidence{Source: "config", Op: "load_config", Type: "parse", Text: err.Error(), Err: err}
	}
	t := p.task
	t.Prompt = text
	t.Goal = strings.TrimSpace(p.about.String())
	return t, nil
}

// unreadable is the evidence of a task file that cannot be read.
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

// title returns a heading as a title.
func title(heading string) string {
	const limit = 200
	if len(heading) > 5 && strings.EqualFold(heading[:5], "task:") {
		heading = heading[5:]
	}
	return text.OneLine(heading, limit)
}
