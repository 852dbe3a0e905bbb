package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// usageError is a mistake on the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func misuse(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// invalid is evidence that what a setting leads to was refused.
func invalid(path, field string, err error) error {
	return &taxonomy.Evidence{
		Source: "config", Op: "load_config", Type: "invalid", Text: err.Error(), Err: err,
		Attributes: map[string]string{"path": path, "field": field},
	}
}

// missing is evidence that a setting is needed.
func missing(path, field, expected string) error { return refused(path, field, "", expected) }

// refused is evidence that a setting is not what was expected.
func refused(path, field, value, expected string) error {
	ev := &taxonomy.Evidence{
		Source: "config", Op: "load_config", Type: "invalid",
		Attributes: map[string]string{"field": field, "expected": expected},
	}
	if value != "" {
		ev.Attributes["value"] = value
	}
	return in(path, ev)
}

// in says of each problem which file it is in, unless it says so itself.
func in(path string, err error) error {
	if err == nil {
		return nil
	}
	var all []error
	for _, e := range leaves(err) {
		if ev, ok := errors.AsType[*taxonomy.Evidence](e); ok && path != "" && ev.Attribute("path") == "" {
			said := *ev
			said.Attributes = maps.Clone(ev.Attributes)
			said.Attributes["path"] = path
			e = &said
		}
		all = append(all, e)
	}
	return errors.Join(all...)
}

// leaves returns the errors that were joined.
func leaves(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, leaves(e)...)
	}
	return out
}

// concerns reports whether a problem is with a field, or with the file as a whole.
func concerns(err error, field string) bool {
	for _, leaf := range leaves(err) {
		ev, ok := errors.AsType[*taxonomy.Evidence](leaf)
		if !ok || ev.Attribute("field") == "" || strings.HasPrefix(ev.Attribute("field"), field) {
			return true
		}
	}
	return false
}

// unready ends a run that cannot begin, and says why. It is the executor that does so: the taxonomy
// says what follows, and the result, the log and the notification are like those of any other run.
func (p *program) unready(ctx context.Context, s *setup, err error) int {
	fmt.Fprintln(p.hints, "aidf: the run cannot begin")
	for _, problem := range leaves(err) {
		fmt.Fprintln(p.hints, indented(explained(errs.Classify(problem, detect.WithTable(s.table)), problem)))
	}
	cfg := executor.Config{
		Table: s.table, Classify: detect.Classifier(errs.Explain, detect.WithTable(s.table)),
		Setup:    func(context.Context) error { return err },
		Observer: p.log(s.table), Limits: executor.Limits{Failures: 1}, // what is wrong now is wrong in a moment, too
	}
	if s.notifier != nil {
		cfg.Notifier = s.notifier
	}
	x, wrong := executor.New(cfg)
	if wrong != nil {
		fmt.Fprintln(p.hints, "aidf:", printable(wrong.Error()))
		return exitFailed
	}
	r := x.Run(ctx, executor.Task{Run: p.run, ID: taskID(p.taskFile)})
	if p.json {
		return p.conclude(r)
	}
	return exitFailed
}

// explained says to people what an error is and what they can do about it. Raw is what it was made
// of, which may say more.
func explained(err, raw error) string {
	text := err.Error()
	if code := taxonomy.CodeOf(err); code != "" {
		text = code + ": " + text
	}
	if more := unsaid(text, raw); more != "" {
		text += "\n" + indented(more)
	}
	if about := taxonomy.Describe(err); about != nil && about.Resolution != "" {
		text += "\n  What to do: " + about.Resolution
	}
	return printable(text)
}

// unsaid returns what evidence says beyond a text that may have its first line.
func unsaid(text string, raw error) string {
	said := reason(raw)
	first, rest, _ := strings.Cut(said, "\n")
	if strings.Contains(text, first) {
		return rest
	}
	return said
}

// reason returns what evidence says, or "".
func reason(raw error) string {
	ev, ok := errors.AsType[*taxonomy.Evidence](raw)
	if !ok {
		return ""
	}
	return strings.TrimSpace(taxonomy.Redact(ev.Text))
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
