package detect

import "github.com/errgen/errgen/runtime/taxonomy"

// Option changes how one piece of evidence is classified. The zero Option changes nothing.
type Option struct {
	noText    bool
	stack     bool
	limit     int
	source    string
	op        string
	unmatched Recorder
}

// Recorder takes evidence that no rule matched. [Record] is one. Record must not keep ev or change
// it.
type Recorder interface {
	Record(ev *taxonomy.Evidence) error
}

// DefaultTextLimit is how many bytes of the end of a text are searched unless [TextLimit] says
// otherwise.
const DefaultTextLimit = 16 << 10

// In classifies as the table's profile says: a profile may switch rules on text off, and with them
// reading a status or a wait out of a text, and may ask for the stack of where an error is made.
func In(table taxonomy.Table) Option {
	if table.Overlay == nil {
		return Option{}
	}
	return Option{noText: !table.SearchesText(), stack: table.Overlay.Reporting.Stack}
}

// TextLimit has the last n bytes of the text searched and kept in place of the last 16 KiB. An n
// below 1 changes nothing. What is searched is the text as it is; what is kept of a text that is
// longer, as context and message have it, has its secrets masked.
func TextLimit(n int) Option { return Option{limit: max(n, 0)} }

// From says who reported the failure, where the evidence itself does not.
func From(source string) Option { return Option{source: source} }

// During says which operation failed, where the evidence itself does not.
func During(op string) Option { return Option{op: op} }

// Unmatched has evidence that no rule matches recorded, so that rules can be written for it. The
// recorder gets a copy in which what sensitive fields are filled from is masked. An error of the
// recorder is passed over: recording never changes what becomes of a failure.
func Unmatched(r Recorder) Option { return Option{unmatched: r} }

// merged returns what all options say together.
func merged(opts []Option) Option {
	var o Option
	for i := range opts {
		o = o.merge(opts[i])
	}
	return o
}

// merge adds what more says to o; of two that say the same thing the later one counts.
func (o Option) merge(more Option) Option {
	o.noText = o.noText || more.noText
	o.stack = o.stack || more.stack
	if more.limit > 0 {
		o.limit = more.limit
	}
	if more.source != "" {
		o.source = more.source
	}
	if more.op != "" {
		o.op = more.op
	}
	if more.unmatched != nil {
		o.unmatched = more.unmatched
	}
	return o
}
