package taxonomy

import (
	"cmp"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/fields"
)

// The functions of an error in this file use the first error of any taxonomy in err's tree (see
// [First]). Without one, they return the zero value, except HTTPStatus, GRPCCode and ExitCode. They
// apply no profile. The methods of [Table] are for one taxonomy, with its profile. A nil pointer to
// an error of a taxonomy is nil to HTTPStatus, GRPCCode and ExitCode. The other functions may panic.

// CodeOf returns the code's value on the wire, or "". For an [Unknown] it is the received code. If
// this is an alias, it is the code's current value.
func CodeOf(err error) string {
	c, _ := First(err, nil)
	if code := describe(c); code != nil {
		return code.Value
	}
	if u, ok := c.(*Unknown); ok {
		return u.Code()
	}
	return ""
}

// CategoryOf returns the category's name, or "". For an [Unknown] it is the received category,
// unless the taxonomy has its code or one that it also is.
func CategoryOf(err error) string {
	c, ok := First(err, nil)
	if !ok {
		return ""
	}
	if row := knownRow(c); c.Taxonomy().Code(row) != nil {
		return c.Taxonomy().Categories[row.Category()].Name
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

// FaultOf returns the party that has to act. It is the server for errors of no taxonomy
// and for codes that the taxonomy does not have.
func FaultOf(err error) Fault {
	if code := Describe(err); code != nil {
		return code.Fault
	}
	return FaultServer
}

// The statuses of errors without one.
const (
	httpOK, httpInternalServerError = 200, 500
	grpcOK, grpcUnknown             = 0, 2
)

// HTTPStatus returns the HTTP status of a response with the error. It is 500 if the status is unset
// and for errors of no taxonomy, and 200 for nil. For an [Unknown] it is the status of its response,
// otherwise that of the nearest known code without its `when` branches. [Table.Traits] has the
// declared status.
func HTTPStatus(err error) int {
	if isNil(err) {
		return httpOK
	}
	http, _ := statusesOf(err)
	return int(cmp.Or(http, httpInternalServerError))
}

// GRPCCode returns the number of the canonical code of google.rpc.Code. It is 2, UNKNOWN, if the
// status is unset or OK, and for errors of no taxonomy. It is 0, OK, only for nil. For an [Unknown]
// it is the status of its response, otherwise that of the nearest known code without its `when`
// branches. [Table.Traits] has the declared status.
func GRPCCode(err error) int {
	if isNil(err) {
		return grpcOK
	}
	_, grpc := statusesOf(err)
	return int(cmp.Or(grpc, grpcUnknown))
}

// exitFailure is the exit status of errors without one.
const exitFailure = 1

// ExitCode returns the exit status of a program that ends with the error: 0 for nil, and 1 if the
// status is unset and for errors of no taxonomy.
//
//	os.Exit(taxonomy.ExitCode(err))
func ExitCode(err error) int {
	if isNil(err) {
		return 0
	}
	return int(cmp.Or(traitsOf(err).Exit, exitFailure))
}

// isNil reports whether err is nil, or a nil pointer to an error of a taxonomy. Servers answer both
// as a success.
func isNil(err error) bool {
	if _, own := err.(Error); !own {
		return err == nil
	}
	v := reflect.ValueOf(err)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// FeedbackOf returns the text for the provider's next prompt: the code's feedback, otherwise the
// message followed by the resolution.
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
	c, _ := First(err, nil)
	code := describe(c)
	if code == nil {
		return ""
	}
	return strings.ReplaceAll(c.Taxonomy().HelpURL, "{code}", url.PathEscape(code.Value))
}

// Describe returns the description of the code, or nil. It must not be changed.
func Describe(err error) *Code {
	c, _ := First(err, nil)
	return describe(c)
}

// describe returns the description of c's code, or nil. c may be nil.
func describe(c Coded) *Code {
	if c == nil {
		return nil
	}
	if u, ok := c.(*Unknown); ok {
		return u.Known()
	}
	return c.Taxonomy().Code(c.Row())
}

// traitsOf returns the traits of the error's row.
func traitsOf(err error) *Traits {
	c, ok := First(err, nil)
	if !ok {
		return &abortTraits
	}
	return c.Taxonomy().Traits(c.Row())
}

// statusesOf returns the statuses of a response with the error.
func statusesOf(err error) (http uint16, grpc uint8) {
	c, ok := First(err, nil)
	if !ok {
		return 0, 0
	}
	return statuses(c, c.Taxonomy().Traits(knownRow(c)))
}

// statuses returns the statuses of a response with c. The traits are those of [knownRow].
func statuses(c Coded, traits *Traits) (http uint16, grpc uint8) {
	if u, ok := c.(*Unknown); ok {
		return cmp.Or(uint16(u.w.HTTP), traits.HTTP), cmp.Or(uint8(u.w.GRPC), traits.GRPC)
	}
	return traits.HTTP, traits.GRPC
}

// knownRow returns the row that describes c. For an [Unknown] it is that of the nearest known code,
// so that a response has the status of that code.
func knownRow(c Coded) Row {
	if u, ok := c.(*Unknown); ok {
		return u.nearest()
	}
	return c.Row()
}

// Hints are the values of an error that a reaction uses. The zero Hints are empty.
type Hints struct {
	// RetryAfter is the wait before the next call.
	RetryAfter Opt[time.Duration]
	// ResetAt is the time from which a call can succeed again.
	ResetAt Opt[time.Time]
	// Files are the files that `revert: files` restores.
	Files []string
	// Credential is the name of the credential of a shared wait.
	Credential string
	// Output is the output of the failed work.
	Output string
}

// HintsOf returns the values of the fields that evidence fills from retry_after, reset_at, files,
// credential and output.
func HintsOf(err error) Hints {
	c, _ := First(err, nil)
	if h, ok := c.(interface{ Hints() Hints }); ok {
		return h.Hints()
	}
	return Hints{}
}

// RecoveryRequest is the input of a strategy: a failure and the reaction that names the strategy.
type RecoveryRequest struct {
	Err      error
	Reaction Reaction
	// Evidence is the evidence that Err was classified from, with the complete text. It must not be
	// changed. It is nil if it is unknown.
	Evidence *Evidence
	// NoText reports that the profile does not search texts, so a wait in a text does not count.
	NoText bool
	// Run is the name of the run, or "" if it is unknown.
	Run string
	// Attempt is the number of the strategy's attempt for this failure, from 1.
	Attempt int
}

// Violation describes an invalid part of a request. It is an item of a field of type violations.
type Violation struct {
	Field       string `json:"field"`       // path of the part, such as items[0].count
	Description string `json:"description"` // reason why it is invalid
	Code        string `json:"code"`        // kind of the violation, for programs; may be empty
}

// ViolationsOf returns the violations of the first error of any taxonomy in err's tree, including
// those that clients must not see. Do not change them.
func ViolationsOf(err error) []Violation {
	c, _ := First(err, nil)
	return violations(c, false)
}

// Violations returns the violations that clients may see. Do not change them.
func (v PublicView) Violations() []Violation { return violations(v.c, true) }

func violations(c Coded, public bool) []Violation {
	e, ok := c.(Error)
	if !ok {
		return nil
	}
	described := e.Taxonomy().Fields(e.Row())
	if _, unknown := c.(*Unknown); unknown || len(described) == 0 {
		return nil
	}
	for i, p := range fields.Pointers(e) {
		if list, ok := p.(*[]Violation); ok && i < len(described) && (described[i].Public || !public) {
			return *list
		}
	}
	return nil
}
