package report

import (
	"bytes"
	"encoding/json"
)

// admitted is an occurrence on its way into stores: nothing in it is too long.
type admitted struct {
	*Occurrence
	// size is about how many bytes its texts and its metadata take.
	size int
	// cause, context and metadata are copies of those of the occurrence. Nobody changes them, so
	// all stores share them.
	cause    *Occurrence
	context  json.RawMessage
	metadata map[string]any
}

// admit bounds an occurrence, and copies what of it a store has no room of its own for.
func admit(o *Occurrence) admitted {
	o, size := bounded(o)
	return admitted{o, size, o.Cause.Clone(), bytes.Clone(o.Context), cloneMetadata(o.Metadata, maxNested)}
}

// orAdmit returns a, of o if it is of nothing yet.
func (a *admitted) orAdmit(o *Occurrence) *admitted {
	if a.Occurrence == nil {
		*a = admit(o)
	}
	return a
}
