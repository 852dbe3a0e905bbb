package taxonomy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy/internal/printable"
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
	// Reason says what could not be read of an error whose code is known; otherwise nil.
	Reason error
}

// Unknown is an error off the wire that the decoding taxonomy does not know: its code, its domain,
// or a word in its context. It keeps what the wire said, and passes it on with secrets masked. It
// may be retried only if the wire and the taxonomy's fallback say so.
type Unknown struct {
	t   *Taxonomy
	w   Wire
	row Row
	// json and context are w's, fit to be shown.
	json, context json.RawMessage
}

// NewUnknown returns the error that w describes, as one of taxonomy t without a code of it. It
// copies what w refers to. JSON longer than 64 KiB is not kept: the error is then written anew, its
// texts cut, and without its context and cause.
func NewUnknown(t *Taxonomy, w Wire) *Unknown {
	u := &Unknown{t: t, w: w, row: RowUnknownPermanent}
	if w.Retryable && t.Traits(RowUnknown).Retryable {
		u.row = RowUnknown
	}
	if len(w.Raw) > maxRaw {
		u.w.Context, u.w.Cause = nil, nil
		for _, s := range []*string{&u.w.Domain, &u.w.Name, &u.w.Category, &u.w.Code, &u.w.Message} {
			*s = strings.Clone(shortened(*s))
		}
		u.w.Raw = u.rewritten()
	} else {
		u.w.Raw = bytes.Clone(w.Raw)
		u.w.Context = bytes.Clone(w.Context)
	}
	u.json, u.context = presentable(u.w.Raw), presentable(u.w.Context)
	if u.json == nil {
		u.json = u.rewritten()
	}
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
	}{shortened(u.w.Domain), shortened(u.w.Name), shortened(u.w.Category), shortened(u.w.Code), shortened(u.w.Message),
		u.w.Retryable, struct{}{}})
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}

// presentable returns JSON of a stranger as our own is: on one line, escaped for HTML, valid UTF-8,
// what looks like a secret masked; or nil if a mask, in the place of a number, leaves no JSON.
func presentable(raw []byte) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	text := strings.ToValidUTF8(redact.Scrub(string(raw)), "\ufffd")
	b, err := json.Marshal(json.RawMessage(text))
	if err != nil {
		return nil
	}
	return b
}

func shortened(s string) string {
	if s = redact.Scrub(s); len(s) > maxMessage {
		return redact.Cut(s, maxMessage, false)
	}
	return s
}

// Wire returns what the error's JSON said. The slices in it are the error's own and must not be
// changed.
func (u *Unknown) Wire() Wire { return u.w }

// Code returns the code on the wire.
func (u *Unknown) Code() string { return u.w.Code }

// Reason returns why an error whose code is known could not be read as one of that code, such as a
// word that its taxonomy has not; nil if the code or the domain is not known.
func (u *Unknown) Reason() error { return u.w.Reason }

// Known returns the description of the code on the wire if it is known and only [Unknown.Reason] is
// not, otherwise nil. It must not be changed.
func (u *Unknown) Known() *Code {
	row, _ := u.known()
	return u.t.Code(row)
}

// known returns the row of the code on the wire if it is known.
func (u *Unknown) known() (Row, bool) {
	if u.w.Reason == nil {
		return RowUnknown, false
	}
	return u.t.Find(u.w.Code)
}

// Is reports whether target is the constant of the code that [Unknown.Known] describes.
func (u *Unknown) Is(target error) bool {
	c, ok := target.(Coded)
	if _, isError := target.(Error); !ok || isError || c.Taxonomy() != u.t {
		return false
	}
	known := u.Known()
	return known != nil && known == u.t.Code(c.Row())
}

// Of reports whether the wire says that the error is of t's domain; one without a domain is of any.
func (u *Unknown) Of(t *Taxonomy) bool { return u.w.Domain == "" || u.w.Domain == t.Domain }

// Category returns the category's name on the wire.
func (u *Unknown) Category() string { return u.w.Category }

// Taxonomy returns the taxonomy that did not know the code.
func (u *Unknown) Taxonomy() *Taxonomy { return u.t }

// Row returns [RowUnknown] if the error may be retried and [RowUnknownPermanent] otherwise.
func (u *Unknown) Row() Row { return u.row }

// Unwrap returns the decoded cause, or nil.
func (u *Unknown) Unwrap() error { return u.w.Cause }

// Error returns the message on the wire, secrets masked, cut at 4096 bytes, and what steers a
// terminal escaped; without one, the code or a text that names it.
func (u *Unknown) Error() string {
	if u.w.Message == "" && u.Known() != nil {
		return u.Known().Value
	}
	if u.w.Message == "" {
		return "unknown error code " + strconv.Quote(shortened(u.w.Code))
	}
	return printable.Text(shortened(u.w.Message))
}

// AppendMessage appends what Error returns.
func (u *Unknown) AppendMessage(dst []byte) []byte { return append(dst, u.Error()...) }

// AppendContext appends the context on the wire, what looks like a secret masked.
func (u *Unknown) AppendContext(dst []byte) []byte {
	if u.context == nil {
		return append(dst, "{}"...)
	}
	return append(dst, u.context...)
}

// AppendJSON appends the JSON that the error was read from, on one line, what looks like a secret
// masked.
func (u *Unknown) AppendJSON(dst []byte) []byte { return append(dst, u.json...) }

// MarshalJSON returns what AppendJSON appends.
func (u *Unknown) MarshalJSON() ([]byte, error) { return u.AppendJSON(nil), nil }

// LogValue returns what the wire said, secrets masked; of the context, that there was one.
func (u *Unknown) LogValue() slog.Value {
	attrs := make([]slog.Attr, 0, 9)
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
	if u.w.Reason != nil {
		attrs = append(attrs, slog.String("reason", shortened(u.w.Reason.Error())))
	}
	if u.w.Cause != nil {
		attrs = append(attrs, slog.Group("cause", slog.String("message", shortened(errorText(u.w.Cause)))))
	}
	return slog.GroupValue(attrs...)
}

// why returns what is not known.
func (u *Unknown) why() string {
	if u.w.Reason == nil {
		return "unknown"
	}
	return shortened(u.w.Reason.Error())
}

// Format prints the message; %+v also prints category, code, what is not known, and the cause. What
// steers a terminal is escaped.
func (u *Unknown) Format(s fmt.State, verb rune) {
	switch {
	case verb == 'v' && s.Flag('+'):
		text := u.Error() + "\ncode: " + strconv.Quote(shortened(u.w.Code)) + " (" + printable.Text(u.why()) +
			")\ncategory: " + strconv.Quote(shortened(CategoryOf(u)))
		if u.w.Cause != nil {
			text += "\ncause: " + printable.Text(shortened(errorText(u.w.Cause)))
		}
		_, _ = io.WriteString(s, text)
	case verb == 'v' && s.Flag('#'):
		_, _ = fmt.Fprintf(s, "(*taxonomy.Unknown)(%s: %q)", shortened(u.w.Code), u.Error())
	default:
		_, _ = fmt.Fprintf(s, fmt.FormatString(s, verb), u.Error())
	}
}
