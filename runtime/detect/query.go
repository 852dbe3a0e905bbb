package detect

import (
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// query is what options, and its own text, make of evidence before rules are asked about it. The
// evidence travels beside it, not in it, so that the compiler sees that it stays where it is.
type query struct {
	source string
	op     string
	status int
	// text is what is searched: the end of the evidence's, or nothing.
	text string
	// limit is how much of the text is kept.
	limit int
	// has has a bit for each [Key] with a value once it was asked for, and then the bit askedParts.
	has parts
	// derived reports that status was read out of the text.
	derived bool
	// unasked reports that how long to wait was read out of a text that is not searched.
	unasked bool
	// broken reports that the first line of the text was cut.
	broken bool
}

// parts is a set of keys.
type parts uint16

const (
	// anyPart is every part; evidence with a source has one.
	anyPart parts = 1<<14 - 1
	// textPart stands for a text, which is no [Key].
	textPart parts = 1 << 14
	// askedParts is in every set that was worked out.
	askedParts parts = 1 << 15
)

func part(k Key) parts { return 1 << k }

// ask fills q, which must be zero.
func (q *query) ask(ev *taxonomy.Evidence, opts []Option) {
	q.source, q.op, q.text = ev.Source, ev.Op, ev.Text
	q.status, q.limit = ev.Status, DefaultTextLimit
	q.derived = ev.StatusDerived && ev.Status != 0
	if len(opts) > 0 {
		o := merged(opts)
		q.choose(o)
		q.unasked = o.noText && ev.RetryAfterDerived
	}
	if len(q.text) > q.limit {
		q.text = CutText(q.text, q.limit)
		start := len(ev.Text) - len(q.text)
		q.broken = ev.Text[start-1] != '\n'
	}
}

func (q *query) choose(o Option) {
	if o.limit > 0 {
		q.limit = o.limit
	}
	if q.source == "" {
		q.source = o.source
	}
	if q.op == "" {
		q.op = o.op
	}
	if o.noText {
		q.text = ""
	}
}

// parts returns what is present.
func (q *query) parts(ev *taxonomy.Evidence) parts {
	if q.has != 0 {
		return q.has
	}
	q.has = present(ev) | askedParts
	// Options may have filled these, and the text may have named a status.
	if q.source != "" {
		q.has |= part(Source)
	}
	if q.op != "" {
		q.has |= part(Op)
	}
	if q.status != 0 {
		q.has |= part(Status)
	}
	return q.has
}

// present returns what is present in evidence.
func present(ev *taxonomy.Evidence) parts {
	var p parts
	if ev.Source != "" {
		p |= 1 << Source
	}
	if ev.Op != "" {
		p |= 1 << Op
	}
	if ev.Status != 0 {
		p |= 1 << Status
	}
	if ev.Type != "" {
		p |= 1 << Type
	}
	if ev.Code != "" {
		p |= 1 << Code
	}
	if !ev.ExitCode.IsZero() {
		p |= 1 << ExitCode
	}
	if ev.Signal != "" {
		p |= 1 << Signal
	}
	if ev.Errno != "" {
		p |= 1 << Errno
	}
	if ev.Err != nil {
		p |= 1<<Is | 1<<As
	}
	if len(ev.Attributes) > 0 {
		p |= 1 << Attribute
	}
	if ev.Text != "" {
		p |= textPart
	}
	return p
}

// changed reports whether the evidence is to be made from something else than what was given.
func (q *query) changed(ev *taxonomy.Evidence) bool {
	return q.derived && !ev.StatusDerived || q.unasked || len(ev.Text) > q.limit || len(q.source) != len(ev.Source) ||
		len(q.op) != len(ev.Op)
}

// copyTo makes room a copy of the evidence as it was asked about. Of a text that was cut only the
// end is kept in memory, secrets masked: a secret that the cut splits would not be known for one
// any more.
func (q *query) copyTo(room, ev *taxonomy.Evidence) {
	*room = *ev
	room.Source, room.Op = q.source, q.op
	room.Status, room.StatusDerived = q.status, q.derived
	if q.unasked {
		room.RetryAfter, room.RetryAfterDerived = taxonomy.Opt[time.Duration]{}, false
	}
	if len(room.Text) > q.limit {
		room.Text = maskedEnd(room.Text, q.limit)
	}
}

// number returns a part that is a number.
func (q *query) number(k Key, ev *taxonomy.Evidence) (int, bool) {
	if k == Status {
		return q.status, q.status != 0
	}
	return ev.ExitCode.Get()
}

// value returns a part that is a text; names that mean the same are one.
func (q *query) value(k Key, ev *taxonomy.Evidence) string {
	switch k {
	case Source:
		return q.source
	case Op:
		return q.op
	case Type:
		return ev.Type
	case Code:
		return ev.Code
	case Signal:
		return CanonicalSignal(ev.Signal)
	case Errno:
		return CanonicalErrno(ev.Errno)
	}
	return ""
}

// canonicalValue returns the value that stands for v under key k.
func canonicalValue(k Key, v string) string {
	switch k {
	case Signal:
		return CanonicalSignal(v)
	case Errno:
		return CanonicalErrno(v)
	}
	return v
}
