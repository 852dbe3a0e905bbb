package config

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	source      = "config"
	opLoad      = "load_config"
	typeMissing = "missing"
	typeParse   = "parse"
	typeUnset   = "unset_variable"
	typeInvalid = "invalid"
)

// evidence returns evidence about the file at path; err may be nil.
func evidence(path, kind string, err error) *taxonomy.Evidence {
	var ev taxonomy.Evidence
	if err != nil {
		ev = detect.Of(err)
	}
	ev.Source, ev.Op, ev.Type = source, opLoad, kind
	ev.Attributes = maps.Clone(ev.Attributes)
	if ev.Attributes == nil {
		ev.Attributes = make(map[string]string)
	}
	ev.Attributes["path"] = path
	return &ev
}

// maxProblems is how many problems, and how many warnings, are told of at a time.
const maxProblems = 100

// loader reads one file.
type loader struct {
	settings
	path     string
	problems []*fault
	warnings Warnings
	// wrong are the fields that have a problem.
	wrong map[string]bool
	// written are the texts that were expanded, as they are written.
	written map[*yaml.Node]string
	// clear are the texts of which it need not be said any more that they are written in clear.
	clear map[*yaml.Node]bool
}

func newLoader(path string, s settings) *loader {
	return &loader{
		settings: s, path: path,
		wrong: make(map[string]bool), written: make(map[*yaml.Node]string), clear: make(map[*yaml.Node]bool),
	}
}

// add adds a problem with a field; its first one counts.
func (l *loader) add(line int, at place, kind string, attributes map[string]string) {
	field := at.String()
	if l.wrong[field] && kind == typeInvalid || len(l.problems) >= maxProblems {
		return
	}
	l.wrong[field] = true
	ev := evidence(l.path, kind, nil)
	maps.Copy(ev.Attributes, attributes)
	if field != "" {
		ev.Attributes["field"] = field
	}
	l.problems = append(l.problems, &fault{line, ev})
}

// failed returns all problems, in the order of the file.
func (l *loader) failed() error {
	slices.SortStableFunc(l.problems, func(a, b *fault) int { return cmp.Compare(a.line, b.line) })
	switch len(l.problems) {
	case 0:
		return nil
	case 1:
		return l.problems[0]
	}
	errs := make([]error, len(l.problems))
	for i, p := range l.problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}
