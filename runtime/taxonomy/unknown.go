package taxonomy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strconv"

	"github.com/errgen/errgen/runtime/taxonomy/internal/redact"
)

// Bounds on what is kept and shown of an error off the wire that is not known.
const (
	maxRaw     = 64 << 10
	maxMessage = 4096
)

// Wire is what an error's JSON says of it.
type Wire struct {
	Domain    string
	Name      string
	Category  string
	Code      string
	Message   string
	Retryable bool
	// Context is the context as JSON, or nil.
	Context json.RawMessage
	// Raw is all of the error's JSON.
	Raw json.RawMessage
	// Cause is the decoded cause, or nil.
	Cause error
}

// Unknown is an error off the wire whose code or domain the decoding taxonomy does not know. It keeps what the
// wire said, and gives it back as it came. It may be retried only if the wire and the taxonomy's fallback say so.
type Unknown struct {
	t   *Taxonomy
	w   Wire
	row Row
}

// NewUnknown returns the error that w describes, as one of taxonomy t without a code of it. It copies what w
// refers to. JSON longer than 64 KiB is not kept: the error is then written anew, without its context.
func NewUnknown(t *Taxonomy, w Wire) *Unknown {
	u := &Unknown{t: t, w: w, row: RowPermanent}
	if w.Retryable && t.traits(RowNone).Retryable {
		u.row = RowNone
	}
	if len(w.Raw) > maxRaw {
		u.w.Context = nil
		u.w.Message = shortened(w.Message)
		u.w.Raw = u.rewritten()
		return u
	}
	u.w.Raw = bytes.Clone(w.Raw)
	u.w.Context = bytes.Clone(w.Context)
	return u
}

// rewritten returns the JSON of an error whose own was too long.
func (u *Unknown) rewritten() json.RawMessage {
	b, err := json.Marshal(struct {
		Domain    string   `json:"domain,omitempty"`
		Name      string   `json:"name"`
		Category  string   `json:"category"`
		Code      string   `json:"code"`
		Message   string   `json:"message"`
		Retryable bool     `json:"retryable"`
		Context   struct{} `json:"context"`
	}{shortened(u.w.Domain), shortened(u.w.Name), shortened(u.w.Category), shortened(u.w.Code), u.w.Message, u.w.Retryable, struct{}{}})
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}

func shortened(s string) string {
	if s = redact.Scrub(s); len(s) > maxMessage {
		return redact.Cut(s, maxMessage, false)
	}
	return s
}

// Wire returns what the error's JSON said. The slices in it are the error's own and must not be changed.
func (u *Unknown) Wire() Wire { return u.w }

// Code returns the code on the wire.
func (u *Unknown) Code() string { return u.w.Code }

// Category returns the category's name on the wire.
func (u *Unknown) Category() string { return u.w.Category }

// Taxonomy returns the taxonomy that did not know the code.
func (u *Unknown) Taxonomy() *Taxonomy { return u.t }

// Row returns [RowNone] if the error may be retried and [RowPermanent] otherwise.
func (u *Unknown) Row() Row { return u.row }

// Unwrap returns the decoded cause, or nil.
func (u *Unknown) Unwrap() error { return u.w.Cause }

// Error returns the message on the wire, secrets masked and cut at 4096 bytes; without one, a text that names
// the code.
func (u *Unknown) Error() string {
	if u.w.Message == "" {
		return "unknown error code " + strconv.Quote(shortened(u.w.Code))
	}
	return shortened(u.w.Message)
}

// AppendMessage appends what Error returns.
func (u *Unknown) AppendMessage(dst []byte) []byte { return append(dst, u.Error()...) }

// AppendContext appends the context on the wire.
func (u *Unknown) AppendContext(dst []byte) []byte {
	if u.w.Context == nil {
		return append(dst, "{}"...)
	}
	return append(dst, u.w.Context...)
}

// AppendJSON appends the JSON that the error was read from.
func (u *Unknown) AppendJSON(dst []byte) []byte {
	if len(u.w.Raw) == 0 {
		return append(dst, u.rewritten()...)
	}
	return append(dst, u.w.Raw...)
}

// MarshalJSON returns the JSON that the error was read from.
func (u *Unknown) MarshalJSON() ([]byte, error) { return u.AppendJSON(nil), nil }

// LogValue returns what the wire said, secrets masked; of the context, that there was one.
func (u *Unknown) LogValue() slog.Value {
	attrs := make([]slog.Attr, 0, 8)
	if u.w.Domain != "" {
		attrs = append(attrs, slog.String("domain", shortened(u.w.Domain)))
	}
	attrs = append(attrs,
		slog.String("name", shortened(u.w.Name)),
		slog.String("category", shortened(u.w.Category)),
		slog.String("code", shortened(u.w.Code)),
		slog.String("message", u.Error()),
		slog.Bool("retryable", u.w.Retryable),
		slog.Bool("unknown", true))
	if u.w.Cause != nil {
		attrs = append(attrs, slog.String("cause", shortened(u.w.Cause.Error())))
	}
	return slog.GroupValue(attrs...)
}

// Format prints the message; %+v also prints category, code and cause.
func (u *Unknown) Format(s fmt.State, verb rune) {
	switch {
	case verb == 'v' && s.Flag('+'):
		text := u.Error() + "\ncode: " + shortened(u.w.Code) + " (unknown)\ncategory: " + shortened(u.w.Category)
		if u.w.Cause != nil {
			text += "\ncause: " + shortened(u.w.Cause.Error())
		}
		_, _ = io.WriteString(s, text)
	case verb == 'v' && s.Flag('#'):
		_, _ = fmt.Fprintf(s, "(*taxonomy.Unknown)(%s: %q)", shortened(u.w.Code), u.Error())
	default:
		_, _ = fmt.Fprintf(s, fmt.FormatString(s, verb), u.Error())
	}
}
