// Package detectflag reads evidence from a command line: a flag for each part of it, and the text
// on standard input.
package detectflag

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

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
