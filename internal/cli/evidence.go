package cli

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sysname"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// evidenceFlags define a flag for each part of evidence.
func evidenceFlags(fs *flag.FlagSet, o *options) {
	ev := &o.evidence
	fs.StringVar(&ev.Source, "source", "", "the source of the failure: a `NAME` under sources")
	fs.StringVar(&ev.Op, "op", "", "the operation that failed: a `NAME`, such as call")
	fs.StringVar(&ev.Type, "type", "", "the source's own `NAME` for the kind of error")
	fs.StringVar(&ev.Code, "code", "", "the source's own `CODE`")
	fs.Func("status", "the HTTP status, a `NUMBER` from 100 to 599", func(s string) (err error) {
		ev.Status, err = parseNumber(s, 100, 599)
		return err
	})
	fs.Func("exit-code", "the exit code of a process, a `NUMBER`", func(s string) error {
		n, err := parseNumber(s, -1<<31, 1<<31-1)
		ev.ExitCode = taxonomy.Some(n)
		return err
	})
	fs.Func("signal", "the signal that ended a process, by its `NAME`: SIGKILL", func(s string) error {
		ev.Signal = detect.Canonical(s)
		return nameAmong(s, sysname.IsSignal, sysname.SignalOf, sysname.Signals, "signal")
	})
	fs.Func("errno", "the system error, by its `NAME`: ECONNRESET", func(s string) error {
		ev.Errno = detect.Canonical(s)
		return nameAmong(s, sysname.IsErrno, sysname.ErrnoOf, sysname.Errnos, "system error")
	})
	errorFlags(fs, o)
	fs.Func("attr", "an attribute, `NAME=VALUE`; may be repeated", func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return errors.New("it must be NAME=VALUE")
		}
		if ev.Attributes == nil {
			ev.Attributes = make(map[string]string)
		}
		ev.Attributes[strings.ToLower(name)] = value
		return nil
	})
	fs.Func("file", "a `FILE` that the failure concerns; may be repeated", func(s string) error {
		ev.Files = append(ev.Files, s)
		return nil
	})
	wait := "the wait that the source asks for: seconds, or a `TIME` such as 1m30s"
	fs.Func("retry-after", wait, func(s string) error {
		d, err := time.ParseDuration(s)
		if seconds, bad := strconv.ParseUint(s, 10, 31); bad == nil {
			d, err = time.Duration(seconds)*time.Second, nil
		}
		if err != nil || d < 0 {
			return errors.New("it must be seconds, or like 1m30s")
		}
		ev.RetryAfter = taxonomy.Some(d)
		return nil
	})
	fs.Func("reset-at", "the instant from which the source answers again, a `TIME` in RFC 3339",
		func(s string) (err error) {
			if ev.ResetAt, err = time.Parse(time.RFC3339, s); err != nil {
				return fmt.Errorf("it must be like 2006-01-02T15:04:05Z")
			}
			return nil
		})
	fs.Func("text", "the `TEXT` of the failure, in place of standard input", func(s string) error {
		o.text = &s
		return nil
	})
}

// parseNumber reads a number from least to most, both included.
func parseNumber(s string, least, most int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("it must be a number from %d to %d", least, most)
	}
	return n, nil
}

const (
	// maxText is the number of bytes that [readTail] returns. It exceeds the limit of detect.Body,
	// because masking a secret at the cut needs the text before it.
	maxText = 1<<20 + 64<<10
	// maxInput is the number of bytes that are read of an endless input.
	maxInput = 1 << 28
)

// isPiped reports whether in is a file or a pipe. It is false for a terminal, where the command
// would wait for a person, and for a closed input.
func isPiped(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return in != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// readTail returns the last [maxText] bytes of an input.
func readTail(in io.Reader) ([]byte, error) {
	var b bytes.Buffer
	in = io.LimitReader(in, maxInput)
	for {
		_, err := io.CopyN(&b, in, maxText)
		b.Next(max(0, b.Len()-maxText))
		if errors.Is(err, io.EOF) {
			return b.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// errorFlags define the flags that name the error of the evidence.
func errorFlags(fs *flag.FlagSet, o *options) {
	var is, as string
	add := func(dst *string) func(string) error {
		return func(s string) error {
			if s == "context.Canceled" {
				return errors.New("a cancelled context is never classified")
			}
			if _, err := model.ParseErrorName(s); err != nil {
				return err
			}
			*dst = s
			o.evidence.Err = detection.NamedError(as, is)
			return nil
		}
	}
	fs.Func("is", "an error variable with its import path, a `NAME`: io.ErrUnexpectedEOF", add(&is))
	fs.Func("as", "an error type with its import path, a `NAME`: *net.OpError", add(&as))
}

func nameAmong(s string, known func(string) bool, full func(string) string, names func() []string, what string) error {
	if known(s) {
		return nil
	}
	if name := full(s); name != "" {
		return fmt.Errorf("errgen knows no such %s; did you mean %q?", what, name)
	}
	return fmt.Errorf("errgen knows no such %s%s", what, suggestion(s, names()))
}
