// Package detectflag reads evidence from a command line: a flag for each part of it, and the text
// on standard input.
package detectflag

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Define defines flags for ev in fs: source, op, type, code, status, exit-code, signal, errno,
// retry-after and attr. A source that the taxonomy does not declare is an error, because a misspelt
// source would match no rule.
func Define(fs *flag.FlagSet, ev *taxonomy.Evidence, t *taxonomy.Taxonomy) {
	fs.StringVar(&ev.Op, "op", ev.Op, "the `operation` that failed")
	fs.StringVar(&ev.Type, "type", ev.Type, "the source's own `type` of failure")
	fs.StringVar(&ev.Code, "code", ev.Code, "the source's own `code`")
	fs.Func("source", "`who` reports it: "+sources(t), source(ev, t))
	fs.Func("status", "the HTTP status, a `number` from 100 to 599", Status(ev))
	fs.Func("exit-code", "the `number` that the process exited with", ExitCode(ev))
	fs.Func("signal", "the `name` of the signal that ended the process: SIGKILL",
		symbol(&ev.Signal, "SIG", detect.CanonicalSignal))
	fs.Func("errno", "the `name` of the system's error: ECONNREFUSED", symbol(&ev.Errno, "E", detect.CanonicalErrno))
	fs.Func("retry-after", "the `time` that the source asks to wait: seconds, or like 1m30s", RetryAfter(ev))
	fs.Func("attr", "something else that is known, as `key=value`; may be given again", Attribute(ev))
}

// sources lists the sources that rules can name.
func sources(t *taxonomy.Taxonomy) string {
	var names []string
	for _, s := range t.Sources {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

func source(ev *taxonomy.Evidence, t *taxonomy.Taxonomy) func(string) error {
	return func(name string) error {
		for _, s := range t.Sources {
			if s.Name == name {
				ev.Source = name
				return nil
			}
		}
		return fmt.Errorf("unknown source; there are %s", sources(t))
	}
}

// Status returns a flag's function that sets ev's HTTP status, a number from 100 to 599.
func Status(ev *taxonomy.Evidence) func(string) error {
	return func(s string) (err error) {
		ev.Status, err = Number(s, 100, 599)
		return err
	}
}

// ExitCode returns a flag's function that sets ev's exit code.
func ExitCode(ev *taxonomy.Evidence) func(string) error {
	return func(s string) error {
		n, err := Number(s, -1<<31, 1<<31-1)
		ev.ExitCode = taxonomy.Some(n)
		return err
	}
}

// Number reads a number from least to most, both included.
func Number(s string, least, most int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("it must be a number from %d to %d", least, most)
	}
	return n, nil
}

// symbol returns a flag's function that sets the name of a signal or a system error. It accepts any
// name with the prefix, because the names depend on the system.
func symbol(to *string, prefix string, canonical func(string) string) func(string) error {
	return func(name string) error {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || rest == "" || strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			return fmt.Errorf("it must be a name in capitals that begins with %s", prefix)
		}
		*to = canonical(name)
		return nil
	}
}

// RetryAfter returns a flag's function that sets the wait that ev's source asks for: seconds, as in
// HTTP's Retry-After, or a duration as in Go.
func RetryAfter(ev *taxonomy.Evidence) func(string) error {
	return func(s string) error {
		d, err := time.ParseDuration(s)
		if seconds, bad := strconv.ParseUint(s, 10, 31); bad == nil {
			d, err = time.Duration(seconds)*time.Second, nil
		}
		if err != nil || d < 0 {
			return errors.New("it must be seconds, or like 1m30s")
		}
		ev.RetryAfter = taxonomy.Some(d)
		return nil
	}
}

// Attribute returns a flag's function that adds NAME=VALUE to ev's attributes, whose names are in
// lower case.
func Attribute(ev *taxonomy.Evidence) func(string) error {
	return func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return errors.New("it must be NAME=VALUE")
		}
		if ev.Attributes == nil {
			ev.Attributes = make(map[string]string)
		}
		ev.Attributes[strings.ToLower(name)] = value
		return nil
	}
}
