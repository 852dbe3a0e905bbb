package gen

import "errors"

// remote is an error off the wire that is not of a taxonomy.
type remote struct {
	text  string
	cause error
}

func (e *remote) Error() string { return e.text }

func (e *remote) Unwrap() error { return e.cause }

// remoteJoin is a remote whose chain forks.
type remoteJoin struct {
	text   string
	causes []error
}

func (e *remoteJoin) Error() string { return e.text }

func (e *remoteJoin) Unwrap() []error { return e.causes }

// readCause returns the cause that raw describes. If raw cannot be read as an error, it is kept as
// text. Causes that are nested too deep are left out, because a cause never makes decoding fail.
func (d *decoder) readCause(raw []byte) error {
	switch raw[0] {
	case 'n':
		return nil
	case '"':
		return errors.New(unquote(raw))
	case '{':
		if d.depth < maxDepth {
			return d.readCauseObject(raw)
		}
	}
	return errors.New(causeText.Text(string(raw)))
}

func (d *decoder) readCauseObject(raw []byte) error {
	c := decoder{t: d.t, depth: d.depth + 1, scanner: scanner{b: raw}}
	w, err := c.envelope()
	if err != nil {
		return errors.New(causeText.Text(string(raw)))
	}
	if w.hasCode && w.category != nil {
		e, err := c.build(&w)
		if err != nil {
			return c.unknown(&w, err)
		}
		return e
	}
	text := unquote(w.message)
	if w.causes != nil && w.causes[0] == '[' {
		return &remoteJoin{text: text, causes: c.readCauses(w.causes)}
	}
	if w.cause == nil {
		return &remote{text: text}
	}
	return &remote{text: text, cause: c.readCause(w.cause)}
}

// readCauses reads a list of causes, at most maxCauses of them.
func (d *decoder) readCauses(raw []byte) []error {
	var causes []error
	s := scanner{b: raw}
	for s.nextElement() {
		value := s.value()
		if len(causes) == maxCauses {
			break
		}
		if err := d.readCause(value); err != nil {
			causes = append(causes, err)
		}
	}
	return causes
}
