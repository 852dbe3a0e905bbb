package taxonomy

import "strings"

// The functions here answer for the first error of any taxonomy in err's tree (see [First]);
// without one, and for nil, they answer with the zero value, but for HTTPStatus and GRPCCode. They
// answer as the table is; a [Table] answers for its own taxonomy, and as a profile has it.

// CodeOf returns the code's value on the wire, or "". Of an [Unknown] it is the code that was on
// the wire, unless that is the former value of a code that is known.
func CodeOf(err error) string {
	c, ok := First(err, nil)
	if !ok {
		return ""
	}
	if code := describe(c); code != nil {
		return code.Value
	}
	if u, ok := c.(*Unknown); ok {
		return u.Code()
	}
	return ""
}

// CategoryOf returns the category's name, or "". Of an [Unknown] it is the category that was on the
// wire, unless its code is known.
func CategoryOf(err error) string {
	c, ok := First(err, nil)
	if !ok {
		return ""
	}
	t, row := c.Taxonomy(), knownRow(c)
	if t.Code(row) != nil {
		return t.Categories[row.Category()].Name
	}
	if u, ok := c.(*Unknown); ok {
		return u.Category()
	}
	return ""
}

// IsRetryable reports whether the same call may succeed unchanged, resolved with the `when` rules.
func IsRetryable(err error) bool {
	t := firstTraits(err)
	return t != nil && t.Retryable
}

// SeverityOf returns how bad the error is.
func SeverityOf(err error) Severity {
	if t := firstTraits(err); t != nil {
		return t.Severity
	}
	return SeverityNone
}

// RecoverabilityOf returns what can be done about the error.
func RecoverabilityOf(err error) Recoverability {
	if t := firstTraits(err); t != nil {
		return t.Recoverability
	}
	return Permanent
}

// KindOf returns whether the error is a cause or an observation.
func KindOf(err error) Kind {
	if t := firstTraits(err); t != nil {
		return t.Kind
	}
	return KindNone
}

// The answers to an error that states none.
const (
	httpOK, httpInternalServerError = 200, 500
	grpcOK, grpcUnknown             = 0, 2
)

// HTTPStatus returns the HTTP status to answer with: 500 when none is stated, also for an error of
// no taxonomy, and 200 for nil. Of an [Unknown] whose code is known it is what that code states,
// without its `when` rules. [Table.Traits] says what is stated.
func HTTPStatus(err error) int {
	if err == nil {
		return httpOK
	}
	if t := firstStatuses(err); t != nil && t.HTTP != 0 {
		return int(t.HTTP)
	}
	return httpInternalServerError
}

// GRPCCode returns the number of the canonical status code of google.rpc.Code: 2, UNKNOWN, when
// none but OK is stated, also for an error of no taxonomy, and 0, OK, for nil only. Of an [Unknown]
// whose code is known it is what that code states, without its `when` rules. [Table.Traits] says
// what is stated.
func GRPCCode(err error) int {
	if err == nil {
		return grpcOK
	}
	if t := firstStatuses(err); t != nil && t.GRPC != 0 {
		return int(t.GRPC)
	}
	return grpcUnknown
}

// FeedbackOf returns what a reaction that feeds back tells the provider: the code's own words for
// it, otherwise the message and, as a sentence after it, the resolution. A code without an error
// has no message of its own; its value stands for it.
func FeedbackOf(err error) string {
	c, ok := First(err, nil)
	if !ok {
		return ""
	}
	if f, ok := c.(interface{ AppendFeedback([]byte) []byte }); ok {
		if b := f.AppendFeedback(nil); len(b) > 0 {
			return string(b)
		}
	}
	message := c.Error()
	code := describe(c)
	if code == nil || code.Resolution == "" {
		return message
	}
	if strings.HasSuffix(message, ".") {
		return message + " " + code.Resolution
	}
	return message + ". " + code.Resolution
}

// HelpURL returns the address of the code's help; "" when the taxonomy or the error has none.
func HelpURL(err error) string {
	c, ok := First(err, nil)
	if !ok {
		return ""
	}
	t := c.Taxonomy()
	code := describe(c)
	if code == nil || t.HelpURL == "" {
		return ""
	}
	return strings.ReplaceAll(t.HelpURL, "{code}", pathEscape(code.Value))
}

// Describe returns the description of the code, or nil. It must not be changed.
func Describe(err error) *Code {
	c, ok := First(err, nil)
	if !ok {
		return nil
	}
	return describe(c)
}

// describe returns the description of c's code, or nil.
func describe(c Coded) *Code { return c.Taxonomy().Code(knownRow(c)) }

func firstTraits(err error) *Traits {
	c, ok := First(err, nil)
	if !ok {
		return nil
	}
	return c.Taxonomy().Traits(c.Row())
}

// firstStatuses returns the traits that say what to answer with.
func firstStatuses(err error) *Traits {
	c, ok := First(err, nil)
	if !ok {
		return nil
	}
	return c.Taxonomy().Traits(knownRow(c))
}

// knownRow returns the row that describes c and says what to answer with: of an error of a known code
// that could not be read as one, the code's own, as whoever asked must not take it for another error.
func knownRow(c Coded) Row {
	if u, ok := c.(*Unknown); ok {
		if row, ok := u.known(); ok {
			return row
		}
	}
	return c.Row()
}
