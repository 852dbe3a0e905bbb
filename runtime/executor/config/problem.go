package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/runtime/executor/internal/evidence"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	typeMissing = "missing"
	typeParse   = "parse"
	typeUnset   = "unset_variable"
	typeInvalid = "invalid"
)

// evidenceOf returns evidence about the file at path; err may be nil.
func evidenceOf(path, kind string, err error) *taxonomy.Evidence {
	ev := evidence.OfFile("config", "load_config", path, err)
	ev.Type = kind
	return ev
}

// problem is an error such as "aidf.yml:3: limits.iteration is "soon", expected a duration". It
// wraps the evidence that it is classified by.
type problem struct {
	line int // 0 if it is about the whole file
	ev   *taxonomy.Evidence
}

// Problems returns the problems of an error of [Load] or [Parse] one by one, in the order of the
// file. Each wraps a *taxonomy.Evidence and can be classified separately. For nil it returns nil.
func Problems(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// Error returns the place and the problem on one line, without secrets.
func (p *problem) Error() string {
	where := p.ev.Attribute("path")
	if p.line > 0 {
		where += ":" + strconv.Itoa(p.line)
	}
	return text.Printable(where+": "+p.detail(), "")
}

// Unwrap returns the evidence.
func (p *problem) Unwrap() error { return p.ev }

// LogValue returns the text of the problem and the members of the evidence.
func (p *problem) LogValue() slog.Value {
	return slog.GroupValue(append([]slog.Attr{slog.String("message", p.Error())}, p.ev.LogValue().Group()...)...)
}

// detail returns the problem without its place.
func (p *problem) detail() string {
	field := p.ev.Attribute("field")
	about := func(text string) string { return strings.TrimPrefix(field+": "+text, ": ") }
	switch p.ev.Type {
	case typeMissing:
		return "the file does not exist"
	case typeParse:
		return p.ev.Text
	case typeUnset:
		return about(fmt.Sprintf("the environment variable %s is not set", p.ev.Attribute("env_var")))
	case typeInvalid:
		expected := "expected " + p.ev.Attribute("expected")
		value, shown := p.ev.Attributes["value"]
		if !shown {
			return about(expected)
		}
		if value != aMapping && value != aList {
			value = strconv.Quote(value)
		}
		return cmp.Or(field, "it") + " is " + value + ", " + expected
	}
	if pathError, ok := errors.AsType[*fs.PathError](p.ev.Err); ok {
		return "read failed: " + pathError.Err.Error()
	}
	return "read failed: " + p.ev.Text
}

// warning is a possible fault in a file. It contains no secret.
type warning struct {
	line int
	text string
}

// maxProblems limits the reported problems, and the reported warnings.
const maxProblems = 100

func (l *loader) warn(line int, at place, text string) {
	w := warning{line, fmt.Sprintf("%s:%d: %s: %s", l.path, line, at.path, text)}
	if len(l.warnings) < maxProblems && !slices.Contains(l.warnings, w) {
		l.warnings = append(l.warnings, w)
	}
}

// warningTexts returns the warnings in the order of the file.
func (l *loader) warningTexts() (texts []string) {
	slices.SortStableFunc(l.warnings, func(a, b warning) int { return cmp.Compare(a.line, b.line) })
	for _, w := range l.warnings {
		texts = append(texts, w.text)
	}
	return texts
}

// add adds a problem with a field. If a field is invalid for several reasons, only the first is
// kept.
func (l *loader) add(line int, at place, kind string, attributes map[string]string) {
	known := func(p *problem) bool { return p.ev.Attribute("field") == at.path }
	if len(l.problems) >= maxProblems || kind == typeInvalid && slices.ContainsFunc(l.problems, known) {
		return
	}
	ev := evidenceOf(l.path, kind, nil)
	maps.Copy(ev.Attributes, attributes)
	if at.path != "" {
		ev.Attributes["field"] = at.path
	}
	l.problems = append(l.problems, &problem{line, ev})
}

// invalid adds a problem: n does not have the expected form. A nil n is a missing key.
func (l *loader) invalid(n *yaml.Node, line int, at place, expected string) {
	attributes := map[string]string{"expected": expected}
	if n != nil && !taxonomy.IsSecretName(at.key) {
		attributes["value"] = l.shown(n)
	}
	l.add(line, at, typeInvalid, attributes)
}

// The words that describe values which are not shown.
const (
	aMapping = "a mapping"
	aList    = "a list"
)

// shown returns a value as it is written in the file, masked.
func (l *loader) shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return aMapping
	case yaml.SequenceNode:
		return aList
	}
	written, ok := l.expanded[n]
	if !ok {
		written = n.Value
	}
	return text.Beginning(written, 200)
}

// err returns all problems in the order of the file, joined if there are several.
func (l *loader) err() error {
	slices.SortStableFunc(l.problems, func(a, b *problem) int { return cmp.Compare(a.line, b.line) })
	if len(l.problems) == 1 {
		return l.problems[0]
	}
	errs := make([]error, len(l.problems))
	for i, p := range l.problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}
