package taxonomy

// Row is a line of a taxonomy's table: a code, or a code under one of its `when` branches. Rows are
// numbered anew by each generation; store codes, not rows.
type Row uint32

// The rows that every table begins with.
const (
	// RowNone is the row of an error without a code: its zero value, or an unknown code off the
	// wire that may be retried. It has the traits of the taxonomy's fallback.
	RowNone Row = 0
	// RowPermanent is the row of an unknown code off the wire that must not be retried.
	RowPermanent Row = 1
	// FirstRow is the row of the first code.
	FirstRow Row = 2
)

// Coded is what has a row in a taxonomy's table: its errors and its code constants.
type Coded interface {
	error
	// Taxonomy returns the taxonomy that the row belongs to; never nil.
	Taxonomy() *Taxonomy
	// Row returns the row that the code and its `when` rules select.
	Row() Row
}

// Error is a generated error. The interface is small so that it can stay as it is; whatever else
// there is to know about an error is a function over its row.
type Error interface {
	Coded
	// Unwrap returns the cause, or nil.
	Unwrap() error
	// AppendMessage appends the message.
	AppendMessage(dst []byte) []byte
	// AppendContext appends the context as a JSON object, secrets masked.
	AppendContext(dst []byte) []byte
	// AppendJSON appends the error as a JSON object, secrets masked.
	AppendJSON(dst []byte) []byte
}
