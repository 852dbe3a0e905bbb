package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

// evidenceFlags defines a flag for each part of evidence that the command line can tell, but for the text.
func evidenceFlags(fs *flag.FlagSet, ev *taxonomy.Evidence) {
	fs.StringVar(&ev.Op, "op", "", "the `operation` that failed")
	fs.StringVar(&ev.Type, "type", "", "the source's own `type` of failure")
	fs.StringVar(&ev.Code, "code", "", "the source's own `code`")
	fs.Func("source", "`who` reports it: "+sources(), source(ev))
	fs.Func("status", "the HTTP status, a `number` from 100 to 599", status(ev))
	fs.Func("exit-code", "the `number` that the process exited with", exitCode(ev))
	fs.Func("signal", "the `name` of the signal that ended the process: SIGKILL", symbol(&ev.Signal, "SIG", detect.CanonicalSignal))
	fs.Func("errno", "the `name` of the system's error: ECONNREFUSED", symbol(&ev.Errno, "E", detect.CanonicalErrno))
	fs.Func("retry-after", "the `time` that the source asks to wait: seconds, or like 1m30s", retryAfter(ev))
	fs.Func("attr", "something else that is known, as `key=value`; may be given again", attribute(ev))
}

// sources lists the sources that rules can name.
func sources() string {
	var names []string
	for _, s := range errs.Table.Taxonomy.Sources {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// source refuses what no rule can name, so that a typing mistake does not look like a failure that nothing describes.
func source(ev *taxonomy.Evidence) func(string) error {
	return func(name string) error {
		for _, s := range errs.Table.Taxonomy.Sources {
			if s.Name == name {
				ev.Source = name
				return nil
			}
		}
		return fmt.Errorf("unknown source; there are %s", sources())
	}
}

func status(ev *taxonomy.Evidence) func(string) error {
	return func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 100 || n > 599 {
			return errors.New("not a number from 100 to 599")
		}
		ev.Status = n
		return nil
	}
}

func exitCode(ev *taxonomy.Evidence) func(string) error {
	return func(s string) error {
		code, err := strconv.Atoi(s)
		if err != nil {
			return errors.New("not a number")
		}
		ev.ExitCode = taxonomy.Some(code)
		return nil
	}
}

// symbol refuses what cannot be the name of a signal or of a system's error, such as its number. Which names there are
// depends on the system.
func symbol(to *string, prefix string, canonical func(string) string) func(string) error {
	return func(name string) error {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || rest == "" || strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			return fmt.Errorf("not a name in capitals that begins with %s", prefix)
		}
		*to = canonical(name)
		return nil
	}
}

func retryAfter(ev *taxonomy.Evidence) func(string) error {
	return func(s string) error {
		if seconds, err := strconv.ParseUint(s, 10, 31); err == nil {
			ev.RetryAfter = taxonomy.Some(time.Duration(seconds) * time.Second)
			return nil
		}
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 {
			return errors.New("not a time: seconds, or like 1m30s")
		}
		ev.RetryAfter = taxonomy.Some(d)
		return nil
	}
}

func attribute(ev *taxonomy.Evidence) func(string) error {
	return func(s string) error {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return errors.New("not key=value")
		}
		if ev.Attributes == nil {
			ev.Attributes = make(map[string]string)
		}
		ev.Attributes[strings.ToLower(key)] = value
		return nil
	}
}
