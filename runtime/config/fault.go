package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strconv"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// fault is a problem as people read it: "aidf.yml:3: limits.iteration is "soon", expected a
// duration". It wraps the evidence, by which it is classified.
type fault struct {
	line int // 0 where it is about the file as a whole
	ev   *taxonomy.Evidence
}

// Problems returns the problems of an error of [Load] or [Parse] one by one, in the order of the
// file; nil for nil. Each wraps a *taxonomy.Evidence, so that it can be classified by itself.
func Problems(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// Error says on one line where the problem is and what. No secret is in it.
func (f *fault) Error() string {
	where := f.ev.Attribute("path")
	if f.line > 0 {
		where += ":" + strconv.Itoa(f.line)
	}
	return text.Printable(where+": "+f.what(), "")
}

// Unwrap returns the evidence.
func (f *fault) Unwrap() error { return f.ev }

// LogValue returns what the evidence does.
func (f *fault) LogValue() slog.Value { return f.ev.LogValue() }

func (f *fault) what() string {
	switch f.ev.Type {
	case typeMissing:
		return "there is no such file"
	case typeParse:
		return f.ev.Text
	case typeUnset:
		return f.about(fmt.Sprintf("the environment variable %s is not set", f.ev.Attribute("env_var")))
	case typeInvalid:
		return f.invalid()
	}
	var why *fs.PathError
	if errors.As(f.ev.Err, &why) {
		return "it cannot be read: " + why.Err.Error()
	}
	return "it cannot be read: " + f.ev.Text
}

func (f *fault) invalid() string {
	expected := "expected " + f.ev.Attribute("expected")
	value, told := f.ev.Attributes["value"]
	switch {
	case !told:
		return f.about(expected)
	case value != "a mapping" && value != "a list":
		value = strconv.Quote(value)
	}
	return cmp.Or(f.ev.Attribute("field"), "it") + " is " + value + ", " + expected
}

// about puts the field before what is said of it, if there is one.
func (f *fault) about(what string) string {
	if field := f.ev.Attribute("field"); field != "" {
		return field + ": " + what
	}
	return what
}
