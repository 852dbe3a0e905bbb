package detect

import (
	"maps"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxName bounds in bytes a code, a type or another name. A longer one is ignored.
	maxName = 256
	// maxAttribute bounds in bytes the value of an attribute. A longer one is cut.
	maxAttribute = 1 << 10
	// minStatus is the least HTTP status under a name that means only that.
	minStatus = 100
	// minFailure is the least HTTP status under a name that may also mean the status of a process,
	// which is at most 255.
	minFailure = 400
	maxStatus  = 599
)

// builder fills the fields that evidence lacks. It never replaces a value.
type builder struct {
	ev *taxonomy.Evidence
	// owned reports that no other evidence shares the map of attributes.
	owned bool
}

// set sets a text that is empty.
func set(p *string, value string) {
	if *p == "" {
		*p = value
	}
}

// setName sets a name that is empty, unless value is too long.
func setName(p *string, value string) {
	if len(value) <= maxName {
		set(p, value)
	}
}

// setNumber sets a code that is empty to a number other than 0.
func setNumber(p *string, n int64) {
	if n != 0 {
		set(p, strconv.FormatInt(n, 10))
	}
}

// attribute fills an attribute.
func (b *builder) attribute(name, value string) {
	if _, ok := b.ev.Attributes[name]; ok || value == "" || len(name) > maxName {
		return
	}
	switch {
	case b.ev.Attributes == nil:
		b.ev.Attributes = map[string]string{}
	case !b.owned:
		b.ev.Attributes = maps.Clone(b.ev.Attributes)
	}
	b.owned = true
	b.ev.Attributes[name] = head(value, maxAttribute)
}

// status fills the HTTP status with a number from least to 599.
func (b *builder) status(n, least int) {
	if b.ev.Status == 0 && least <= n && n <= maxStatus {
		b.ev.Status = n
	}
}

// exitCode fills the exit code of a process that no signal ended.
func (b *builder) exitCode(n int) {
	if b.ev.ExitCode.IsZero() && b.ev.Signal == "" && n >= 0 {
		b.ev.ExitCode = taxonomy.Some(n)
	}
}

// retryAfter fills the time to wait. A negative one is ignored.
func (b *builder) retryAfter(d time.Duration) {
	if b.ev.RetryAfter.IsZero() && d >= 0 {
		b.ev.RetryAfter = taxonomy.Some(d)
	}
}

// resetAt fills the time of the next try. A time before this century is ignored, and so is one
// after the year 9999, which RFC 3339 cannot express.
func (b *builder) resetAt(t time.Time) {
	if t = t.UTC(); b.ev.ResetAt.IsZero() && 2000 <= t.Year() && t.Year() <= 9999 {
		b.ev.ResetAt = t
	}
}

// text fills the text with the end of a body.
func (b *builder) text(body []byte) {
	if b.ev.Text == "" {
		b.ev.Text = boundedBytes(body)
	}
}

// evidence fills everything but Text and Err from other evidence.
func (b *builder) evidence(from *taxonomy.Evidence) {
	ev := b.ev
	set(&ev.Source, from.Source)
	set(&ev.Op, from.Op)
	ev.CodeDerived = ev.CodeDerived || from.CodeDerived
	set(&ev.Type, from.Type)
	set(&ev.Code, from.Code)
	set(&ev.Errno, from.Errno)
	set(&ev.Output, from.Output)
	set(&ev.Credential, from.Credential)
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
	if ev.Effect == taxonomy.EffectUnspecified {
		ev.Effect = from.Effect
	}
	for key, value := range from.Attributes {
		b.attribute(key, value)
	}
}
