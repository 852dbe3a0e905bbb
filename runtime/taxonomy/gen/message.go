package gen

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/redact"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/printable"
)

// MessageBuilder builds a message. A value that is absent or empty adds nothing, and removes the
// optional part that contains it. Characters of a value that control a terminal or change the
// direction of text are escaped.
type MessageBuilder struct {
	b []byte
	// part is 0 if no optional part is open, n+1 in a part that began at n, and -(n+1) if that part
	// will be removed.
	part int
}

// Message begins a message at the end of dst.
func Message(dst []byte) MessageBuilder { return MessageBuilder{b: dst} }

// Bytes closes the open part, if any, and returns the buffer with the message at its end.
func (m MessageBuilder) Bytes() []byte { return m.close().b }

// close closes the open part, and removes it if a value in it was absent or empty.
func (m MessageBuilder) close() MessageBuilder {
	if m.part < 0 {
		m.b = m.b[:-m.part-1]
	}
	m.part = 0
	return m
}

// NoCode is the message of an error of the named category that has no code.
//
//go:noinline
func (m MessageBuilder) NoCode(category string) MessageBuilder {
	m.b = append(m.b, category...)
	m.b = append(m.b, " error without a code"...)
	return m
}

// Coded returns the buffer with the message at its end. If the code is 0, it replaces the message
// by that of an error of the named category without a code.
//
//go:noinline
func (m MessageBuilder) Coded(dst []byte, code uint16, category string) []byte {
	if code == 0 {
		return MessageBuilder{b: m.b[:len(dst)]}.NoCode(category).b
	}
	return m.Bytes()
}

// Begin closes the open part, if any, opens an optional part and appends its leading text. Parts do
// not nest.
//
//go:noinline
func (m MessageBuilder) Begin(text string) MessageBuilder {
	m = m.close()
	m.part = len(m.b) + 1
	m.b = append(m.b, text...)
	return m
}

// End appends the trailing text of the optional part and closes it. If a value in the part was
// absent or empty, End removes the part.
//
//go:noinline
func (m MessageBuilder) End(text string) MessageBuilder {
	if m.part > 0 {
		m.b = append(m.b, text...)
	}
	return m.close()
}

// absent marks the open part, if any, for removal.
func (m MessageBuilder) absent() MessageBuilder {
	if m.part > 0 {
		m.part = -m.part
	}
	return m
}

// Text appends text of the template.
//
//go:noinline
func (m MessageBuilder) Text(s string) MessageBuilder {
	m.b = append(m.b, s...)
	return m
}

// String appends a value. Words of enums are strings, too.
func (m MessageBuilder) String(s string) MessageBuilder {
	if s == "" {
		return m.absent()
	}
	start := len(m.b)
	m.b = printable.Tail(append(m.b, s...), start)
	return m
}

// Clean appends a cleaned text.
func (m MessageBuilder) Clean(s string, c Clean) MessageBuilder {
	start := len(m.b)
	if m.b = c.append(m.b, s); len(m.b) == start {
		return m.absent()
	}
	m.b = printable.Tail(m.b, start)
	return m
}

// Line appends the first line of a cleaned text.
func (m MessageBuilder) Line(s string, c Clean) MessageBuilder {
	start := len(m.b)
	if m.b = c.appendLine(m.b, s); len(m.b) == start {
		return m.absent()
	}
	m.b = printable.Tail(m.b, start)
	return m
}

// Quoted appends a cleaned text as a quoted Go string. If c scrubs, and the message so far ends in
// the name of a secret and " is ", the value of the secret is masked.
func (m MessageBuilder) Quoted(s string, c Clean) MessageBuilder {
	if s = c.Text(s); s == "" {
		return m.absent()
	}
	if c&Scrub != 0 {
		s = maskNamed(m.b, s)
	}
	m.b = strconv.AppendQuote(m.b, s)
	return m
}

// maskNamed returns s, or a mask if the text before it names a secret: password is "…".
func maskNamed(before []byte, s string) string {
	name, ok := bytes.CutSuffix(before, []byte(" is "))
	if !ok {
		return s
	}
	name = name[bytes.LastIndexByte(name, ' ')+1:]
	if key := string(name); redact.IsSecretKey(key) {
		if entry := key + `="` + s + `"`; redact.Scrub(entry) != entry {
			return redact.Mask
		}
	}
	return s
}

// Int appends an integer.
func (m MessageBuilder) Int(opt taxonomy.Opt[int]) MessageBuilder {
	n, ok := opt.Get()
	if !ok {
		return m.absent()
	}
	m.b = appendInt(m.b, int64(n))
	return m
}

// Int64 appends an integer.
func (m MessageBuilder) Int64(opt taxonomy.Opt[int64]) MessageBuilder {
	n, ok := opt.Get()
	if !ok {
		return m.absent()
	}
	m.b = appendInt(m.b, n)
	return m
}

// Uint64 appends an integer.
func (m MessageBuilder) Uint64(opt taxonomy.Opt[uint64]) MessageBuilder {
	n, ok := opt.Get()
	if !ok {
		return m.absent()
	}
	m.b = strconv.AppendUint(m.b, n, 10)
	return m
}

// Float64 appends a number in the shortest form that reads back as the same.
func (m MessageBuilder) Float64(opt taxonomy.Opt[float64]) MessageBuilder {
	f, ok := opt.Get()
	if !ok {
		return m.absent()
	}
	m.b = strconv.AppendFloat(m.b, f, 'g', -1, 64)
	return m
}

// Bool appends "true" or "false".
//
//go:noinline
func (m MessageBuilder) Bool(opt taxonomy.Opt[bool]) MessageBuilder {
	v, ok := opt.Get()
	if !ok {
		return m.absent()
	}
	m.b = strconv.AppendBool(m.b, v)
	return m
}

// Duration appends a duration as people write it, "1.5s" or "1m". It is rounded to seconds from a
// minute on, to hundredths from a second on, and to milliseconds below.
func (m MessageBuilder) Duration(opt taxonomy.Opt[time.Duration]) MessageBuilder {
	d, ok := opt.Get()
	if !ok {
		return m.absent()
	}
	m.b = appendDuration(m.b, d)
	return m
}

// Millis appends a number of milliseconds as [MessageBuilder.Duration] does, "1m30s". If it is too large for a
// duration, Millis appends the longest one.
func (m MessageBuilder) Millis(opt taxonomy.Opt[int64]) MessageBuilder {
	n, ok := opt.Get()
	if !ok {
		return m.absent()
	}
	const most = math.MaxInt64 / int64(time.Millisecond)
	m.b = appendDuration(m.b, time.Duration(max(-most, min(n, most)))*time.Millisecond)
	return m
}

func appendDuration(b []byte, d time.Duration) []byte {
	unit := time.Nanosecond
	switch size := d.Abs(); {
	case size >= time.Minute:
		unit = time.Second
	case size >= time.Second:
		unit = 10 * time.Millisecond
	case size >= time.Millisecond:
		unit = time.Millisecond
	}
	text := d.Round(unit).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return append(b, text...)
}

// Seconds appends a duration as a decimal number of seconds without the unit.
func (m MessageBuilder) Seconds(opt taxonomy.Opt[time.Duration]) MessageBuilder {
	d, ok := opt.Get()
	if !ok {
		return m.absent()
	}
	m.b = strconv.AppendFloat(m.b, d.Seconds(), 'f', -1, 64)
	return m
}

// Time appends an instant as RFC 3339 in UTC.
func (m MessageBuilder) Time(opt taxonomy.Opt[time.Time]) MessageBuilder {
	t, ok := opt.Get()
	if !ok {
		return m.absent()
	}
	m.b = t.UTC().AppendFormat(m.b, time.RFC3339Nano)
	return m
}

// Strings appends a list, its cleaned elements separated by ", ".
func (m MessageBuilder) Strings(list []string, c Clean) MessageBuilder {
	if len(list) == 0 {
		return m.absent()
	}
	start := len(m.b)
	for i, s := range list {
		if i > 0 {
			m.b = append(m.b, ", "...)
		}
		m.b = append(m.b, c.Text(s)...)
	}
	m.b = printable.Tail(m.b, start)
	return m
}

// Count appends the length of a list; an empty list counts as absent in an optional part.
func (m MessageBuilder) Count(n int) MessageBuilder {
	m.b = appendInt(m.b, int64(n))
	if n == 0 {
		return m.absent()
	}
	return m
}

// JSON appends a JSON value in the form of the wire; null counts as absent.
func (m MessageBuilder) JSON(raw []byte) MessageBuilder {
	if isNull(raw) {
		return m.absent()
	}
	start := len(m.b)
	m.b = printable.Tail(appendRaw(m.b, raw), start)
	return m
}

// Cause appends the text of the cause, secrets masked, cut at 4096 bytes.
func (m MessageBuilder) Cause(err error) MessageBuilder {
	return m.String(causeString(err))
}

// CauseLine appends the first line of the text that [MessageBuilder.Cause] appends.
func (m MessageBuilder) CauseLine(err error) MessageBuilder {
	return m.String(firstLine(causeString(err)))
}

// CauseQuoted appends the text that [MessageBuilder.Cause] appends, as a quoted Go string.
func (m MessageBuilder) CauseQuoted(err error) MessageBuilder {
	return m.Quoted(causeString(err), 0)
}

// causeString returns the text of a cause, secrets masked and cut. If its tree is too deep or too
// wide, it returns the first code in the tree, because the tree may be a cycle, and the text of an
// error in a cycle never ends.
func causeString(err error) string {
	if err == nil {
		return ""
	}
	if !bounded(err) {
		if code := firstCode(err); code != "" {
			return code
		}
	}
	return causeText.Text(errtree.TreeText(err))
}

// firstCode returns the first code in err's tree, or "".
func firstCode(err error) (code string) {
	defer func() {
		if recover() != nil {
			code = ""
		}
	}()
	return taxonomy.CodeOf(err)
}
