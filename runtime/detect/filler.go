package detect

import (
	"maps"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxName bounds in bytes what is taken for a code, a type or another name. What is longer is none.
const maxName = 256

// filler fills what evidence lacks. What is there is never replaced.
type filler struct {
	ev *taxonomy.Evidence
	// owned reports that the attributes are the evidence's own and not shared with the evidence
	// that it is a copy of.
	owned bool
}

// set fills a text.
func set(p *string, value string) {
	if *p == "" {
		*p = value
	}
}

// name fills a name.
func name(p *string, value string) {
	if len(value) <= maxName {
		set(p, value)
	}
}

// attribute fills an attribute. What is longer than a KiB is cut.
func (f *filler) attribute(name, value string) {
	if value == "" || len(name) > maxName {
		return
	}
	if _, ok := f.ev.Attributes[name]; ok {
		return
	}
	switch {
	case f.ev.Attributes == nil:
		f.ev.Attributes = map[string]string{}
	case !f.owned:
		f.ev.Attributes = maps.Clone(f.ev.Attributes)
	}
	f.owned = true
	f.ev.Attributes[name] = headOf(value, 4*maxName)
}

// status fills the HTTP status with a number that is one, in the range from least.
func (f *filler) status(n, least int) {
	if f.ev.Status == 0 && least <= n && n <= 599 {
		f.ev.Status = n
	}
}

// exitCode fills the exit code with a number that is one.
func (f *filler) exitCode(n int) {
	if f.ev.ExitCode.IsZero() && f.ev.Signal == "" && n >= 0 {
		f.ev.ExitCode = taxonomy.Some(n)
	}
}

// retryAfter fills the time to wait. A negative one is none.
func (f *filler) retryAfter(d time.Duration) {
	if f.ev.RetryAfter.IsZero() && d >= 0 {
		f.ev.RetryAfter = taxonomy.Some(d)
	}
}

// resetAt fills the time of the next try. One before this century is none, and one after the year
// 9999 the end of it.
func (f *filler) resetAt(t time.Time) {
	if !f.ev.ResetAt.IsZero() || t.Year() < 2000 {
		return
	}
	if last := farthest(); t.After(last) {
		t = last
	}
	f.ev.ResetAt = t.UTC()
}

// number fills a code with a number other than 0.
func number(p *string, n int64) {
	if n != 0 {
		set(p, strconv.FormatInt(n, 10))
	}
}

// evidence fills everything but the text and Err from other evidence.
func (f *filler) evidence(from *taxonomy.Evidence) {
	ev := f.ev
	for _, p := range []struct {
		to   *string
		from string
	}{
		{&ev.Source, from.Source}, {&ev.Op, from.Op}, {&ev.Type, from.Type}, {&ev.Code, from.Code},
		{&ev.Errno, from.Errno}, {&ev.Output, from.Output}, {&ev.Credential, from.Credential},
	} {
		set(p.to, p.from)
	}
	if ev.Status == 0 {
		ev.Status, ev.StatusDerived = from.Status, from.StatusDerived
	}
	if ev.ExitCode.IsZero() && ev.Signal == "" {
		ev.ExitCode, ev.Signal = from.ExitCode, from.Signal
	}
	if len(ev.Files) == 0 {
		ev.Files = from.Files
	}
	if ev.RetryAfter.IsZero() {
		ev.RetryAfter, ev.RetryAfterDerived = from.RetryAfter, from.RetryAfterDerived
	}
	if ev.ResetAt.IsZero() {
		ev.ResetAt = from.ResetAt
	}
	for key, value := range from.Attributes {
		f.attribute(key, value)
	}
}

// headOf returns the first n bytes of s, or fewer, so that no rune is cut in two.
func headOf(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && inside(s, n) {
		n--
	}
	return s[:n]
}
