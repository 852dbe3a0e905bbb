package taxonomy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy/internal/printable"
)

// maxRaw is the maximum length in bytes of the JSON that an [Unknown] keeps.
const maxRaw = 64 << 10

// Wire has the contents of an error's JSON.
type Wire struct {
	Domain    string `json:"domain,omitempty"`
	Name      string `json:"name"`
	Category  string `json:"category"`
	Code      string `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
	// Is are further codes that the error is, the best first; see [Taxonomy.AppendIs].
	Is []string `json:"is,omitempty"`
	// Effect is what the sender declared.
	Effect Effect `json:"effect,omitempty"`
	// Context is the context as JSON, or nil.
	Context json.RawMessage `json:"context"`
	// Raw is the complete JSON of the error.
	Raw json.RawMessage `json:"-"`
	// Cause is the decoded cause, or nil.
	Cause error `json:"-"`
	// Reason is why an error with a known code could not be decoded; otherwise nil.
	Reason error `json:"-"`
	// HTTP and GRPC are the statuses of the response with the error; 0 is unset.
	HTTP int `json:"-"`
	GRPC int `json:"-"`
	// RetryAfter is the wait that the response asks for.
	RetryAfter Opt[time.Duration] `json:"-"`
}

// Unknown is a received error with a code, a domain or an enum word that the decoding taxonomy does
// not have. It keeps the received JSON, and passes it on with secrets masked. It is retryable if the
// sender says so, unless the call is [EffectDone]; its reaction is then a retry with the language's
// default policy, after the wait that the sender asks for. If the error is also a code that the
// taxonomy has, such as the parent of its code, errors.Is holds for that code.
type Unknown struct {
	t   *Taxonomy
	w   Wire
	row Row
	is  Row // the row of the known code that the error also is, otherwise RowUnknown
	// json and context are those of w with secrets masked.
	json, context json.RawMessage
}

// NewUnknown returns the error that w describes, as an error of taxonomy t without a code. It
// copies the slices of w. JSON longer than 64 KiB is replaced by JSON with cut texts and without
// context and cause.
func NewUnknown(t *Taxonomy, w Wire) *Unknown {
	u := &Unknown{t: t, w: w, row: RowUnknownPermanent}
	if w.Retryable && w.Effect != EffectDone {
		u.row = RowUnknownRetry
	}
	if w.Domain == t.Domain && w.Reason == nil {
		u.is, _ = t.FindIs(w.Is)
	}
	if len(w.Raw) > maxRaw {
		u.w.Context, u.w.Cause = nil, nil
		u.w.Raw = u.rewritten()
		_ = json.Unmarshal(u.w.Raw, &u.w)
	} else {
		u.w.Raw = bytes.Clone(w.Raw)
		u.w.Context = bytes.Clone(w.Context)
		u.w.Is = slices.Clone(w.Is)
	}
	u.json, u.context = presentable(u.w.Raw), presentable(u.w.Context)
	if u.json == nil {
		u.json = u.rewritten()
	}
	return u
}

// rewritten returns JSON in place of JSON that is too long or cannot be masked.
func (u *Unknown) rewritten() json.RawMessage {
	w := u.w
	w.Context = json.RawMessage("{}")
	if length := len(strings.Join(w.Is, `","`)); len(w.Is) > MaxIs || length > MaxIsBytes {
		w.Is = nil
	}
	for _, s := range []*string{&w.Domain, &w.Name, &w.Category, &w.Code, &w.Message} {
		*s = shortened(*s)
	}
	b, _ := json.Marshal(w) // cannot fail
	return b
}

// presentable returns foreign JSON on one line, escaped for HTML, in valid UTF-8, with secrets
// masked. It returns nil if a mask in the place of a number makes the JSON invalid.
func presentable(raw []byte) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	b, err := json.Marshal(json.RawMessage(text.Masked(string(raw))))
	if err != nil {
		return nil
	}
	return b
}

func shortened(s string) string { return text.Beginning(s, maxMessage) }

// Wire returns the contents of the error's JSON. Its slices must not be changed.
func (u *Unknown) Wire() Wire { return u.w }

// Code returns the code on the wire.
func (u *Unknown) Code() string { return u.w.Code }

// SentCode returns the code on the wire if the taxonomy does not have it, otherwise "".
func (u *Unknown) SentCode() string {
	if u.Known() != nil {
		return ""
	}
	return u.w.Code
}

// Hints returns the wait that the sender asks for: that of the response, otherwise that of the
// context's first field with this role in the taxonomy.
func (u *Unknown) Hints() Hints {
	if !u.w.RetryAfter.IsZero() {
		return Hints{RetryAfter: u.w.RetryAfter}
	}
	var members map[string]json.RawMessage
	if !u.Of(u.t) || json.Unmarshal(u.w.Context, &members) != nil {
		return Hints{}
	}
	for _, c := range u.t.Categories {
		fields := c.Fields
		for i := range c.Codes {
			if own := c.Codes[i].Own; own != nil {
				fields = slices.Concat(fields, own.Fields)
			}
		}
		for _, f := range fields {
			var text string
			if f.Type != "duration" || !slices.Contains(f.From, "retry_after") ||
				json.Unmarshal(members[f.Name], &text) != nil {
				continue
			}
			if d, err := time.ParseDuration(text); err == nil {
				return Hints{RetryAfter: Some(d)}
			}
		}
	}
	return Hints{}
}

// Reason returns why an error with a known code could not be decoded: it has an unknown enum word,
// or the code is abstract. It is nil if the code or the domain is unknown.
func (u *Unknown) Reason() error { return u.w.Reason }

// Known returns the description of the received code if the taxonomy has it, otherwise nil. It must
// not be changed.
func (u *Unknown) Known() *Code {
	row, _ := u.known()
	return u.t.Code(row)
}

// known returns the row of the received code if the taxonomy has it.
func (u *Unknown) known() (Row, bool) {
	if u.w.Reason == nil {
		return RowUnknown, false
	}
	return u.t.Find(u.w.Code)
}

// nearest returns the row of the received code, or else that of the known code that the error also
// is. Without one it returns [RowUnknown], whose statuses are those of the fallback.
func (u *Unknown) nearest() Row {
	if row, ok := u.known(); ok {
		return row
	}
	return u.is
}

// Is reports whether target is the constant of the code that [Unknown.Known] describes, of the
// known code that the error also is, or of a code above it.
func (u *Unknown) Is(target error) bool {
	c, ok := target.(Coded)
	if _, isError := target.(Error); !ok || isError || c.Taxonomy() != u.t {
		return false
	}
	return u.t.IsBelow(u.nearest(), c.Row()) && u.t.Code(c.Row()) != nil
}

// Of reports whether the received domain is empty or that of t.
func (u *Unknown) Of(t *Taxonomy) bool { return u.w.Domain == "" || u.w.Domain == t.Domain }

// CallEffect returns the effect that the sender declared.
func (u *Unknown) CallEffect() (effect Effect, sent bool) { return u.w.Effect, true }

// Category returns the category's name on the wire.
func (u *Unknown) Category() string { return u.w.Category }

// Taxonomy returns the taxonomy that decoded the error.
func (u *Unknown) Taxonomy() *Taxonomy { return u.t }

// Row returns [RowUnknownRetry] if the error may be retried and [RowUnknownPermanent] otherwise.
func (u *Unknown) Row() Row { return u.row }

// Unwrap returns the decoded cause, or nil.
func (u *Unknown) Unwrap() error { return u.w.Cause }

// Error returns the received message, cut at 4096 bytes, with secrets masked and control characters
// escaped. Without a message it returns a text with the code.
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

// AppendContext appends the received context with secrets masked.
func (u *Unknown) AppendContext(dst []byte) []byte {
	if u.context == nil {
		return append(dst, "{}"...)
	}
	return append(dst, u.context...)
}

// AppendJSON appends the received JSON on one line with secrets masked.
func (u *Unknown) AppendJSON(dst []byte) []byte { return append(dst, u.json...) }

// MarshalJSON returns what AppendJSON appends.
func (u *Unknown) MarshalJSON() ([]byte, error) { return u.AppendJSON(nil), nil }

// LogValue returns the received values, except the context, with secrets masked.
func (u *Unknown) LogValue() slog.Value {
	var attrs []slog.Attr
	if u.w.Domain != "" {
		attrs = append(attrs, slog.String("domain", shortened(u.w.Domain)))
	}
	attrs = append(attrs, slog.String("name", shortened(u.w.Name)), slog.String("category", shortened(u.w.Category)),
		slog.String("code", shortened(u.w.Code)), slog.String("message", u.Error()),
		slog.Bool("retryable", u.w.Retryable), slog.Bool("unknown", true))
	if u.w.Reason != nil {
		attrs = append(attrs, slog.String("reason", shortened(u.w.Reason.Error())))
	}
	if u.w.Cause != nil {
		attrs = append(attrs, slog.Group("cause", slog.String("message", shortened(errtree.TreeText(u.w.Cause)))))
	}
	return slog.GroupValue(attrs...)
}

// Format prints the message. %+v also prints the code, the reason why it is unknown, the category
// and the cause. Control characters are escaped.
func (u *Unknown) Format(s fmt.State, verb rune) {
	if verb != 'v' || !s.Flag('+') {
		_, _ = fmt.Fprintf(s, fmt.FormatString(s, verb), u.Error())
		return
	}
	why := "unknown"
	if u.w.Reason != nil {
		why = printable.Text(shortened(u.w.Reason.Error()))
	}
	_, _ = fmt.Fprintf(s, "%s\ncode: %q (%s)\ncategory: %q", u.Error(), shortened(u.w.Code), why,
		shortened(CategoryOf(u)))
	if u.w.Cause != nil {
		_, _ = io.WriteString(s, "\ncause: "+printable.Text(shortened(errtree.TreeText(u.w.Cause))))
	}
}
