package taxonomy

import (
	"cmp"
	"strings"
)

// The functions in this file use the first error of any taxonomy in err's tree (see [First]). For
// nil and without such an error they return the zero value, except HTTPStatus and GRPCCode. They
// apply no profile. The methods of [Table] are for one taxonomy, with its profile.

// CodeOf returns the code's value on the wire, or "". For an [Unknown] it is the received code, or
// the present value if the received one is an alias.
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

// CategoryOf returns the category's name, or "". For an [Unknown] it is the received category,
// unless its code is known.
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
func IsRetryable(err error) bool { return traitsOf(err).Retryable }

// SeverityOf returns the severity of the error.
func SeverityOf(err error) Severity { return traitsOf(err).Severity }

// RecoverabilityOf returns the kind of measure that can help.
func RecoverabilityOf(err error) Recoverability { return traitsOf(err).Recoverability }

// KindOf returns whether the error is a cause or an observation.
func KindOf(err error) Kind { return traitsOf(err).Kind }

// The statuses of errors without one.
const (
	httpOK, httpInternalServerError = 200, 500
	grpcOK, grpcUnknown             = 0, 2
)

// HTTPStatus returns the HTTP status of a response with the error. It is 500 if the status is unset
// and for errors of no taxonomy, and 200 for nil. For an [Unknown] with a known code it is the
// status of that code without its `when` branches. [Table.Traits] has the declared status.
func HTTPStatus(err error) int {
	if err == nil {
		return httpOK
	}
	return int(cmp.Or(statusesOf(err).HTTP, httpInternalServerError))
}

// GRPCCode returns the number of the canonical code of google.rpc.Code. It is 2, UNKNOWN, if the
// code is unset or OK, and for errors of no taxonomy. It is 0, OK, only for nil. For an [Unknown]
// with a known code it is that of the code without its `when` branches. [Table.Traits] has the
// declared one.
func GRPCCode(err error) int {
	if err == nil {
		return grpcOK
	}
	return int(cmp.Or(statusesOf(err).GRPC, grpcUnknown))
}

// FeedbackOf returns the text for the provider's next prompt: the code's feedback, otherwise the
// message followed by the resolution. For a code constant the message is the code.
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

// HelpURL returns the address of the code's help, or "" if the taxonomy has no help_url.
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

func traitsOf(err error) *Traits {
	c, ok := First(err, nil)
	if !ok {
		return &nothing
	}
	return c.Taxonomy().Traits(c.Row())
}

// statusesOf returns the traits with the statuses of a response.
func statusesOf(err error) *Traits {
	c, ok := First(err, nil)
	if !ok {
		return &nothing
	}
	return c.Taxonomy().Traits(knownRow(c))
}

// knownRow returns the row that describes c. For an [Unknown] with a known code it is the code's
// row, so that a response has the code's status.
func knownRow(c Coded) Row {
	if u, ok := c.(*Unknown); ok {
		if row, ok := u.known(); ok {
			return row
		}
	}
	return c.Row()
}
