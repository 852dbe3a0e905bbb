package gen

import (
	"log/slog"
	"strconv"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds on what is shown of a cause's tree, so that a cycle or a tree that shares its branches ends.
const (
	maxDepth  = 32
	maxCauses = 128
)

// jsonTree writes an error and the tree of its causes. What is below the bounds is left out.
type jsonTree struct {
	// left is how many causes may still be written.
	left int
}

// cause appends a cause as a JSON object: an error or a code of a taxonomy as itself; any other by its text,
// with the errors of a taxonomy that are below it.
func (w *jsonTree) cause(dst []byte, err error, depth int) []byte {
	w.left--
	if s, ok := err.(*taxonomy.Traced); ok {
		err = s.Unwrap()
	}
	switch x := err.(type) {
	case *taxonomy.Unknown:
		return x.AppendJSON(dst)
	case taxonomy.Error:
		if code := codeOf(x.Row(), x.Taxonomy()); code != nil {
			return w.error(dst, x, int(code.Category), depth)
		}
	case taxonomy.Coded:
		if code := codeOf(x.Row(), x.Taxonomy()); code != nil {
			return appendCode(dst, x, code)
		}
	}
	return w.other(dst, err, depth)
}

// other appends an error that is not of a taxonomy.
func (w *jsonTree) other(dst []byte, err error, depth int) []byte {
	dst = appendString(append(dst, `{"message":`...), causeString(err))
	joined, below := descend(err)
	switch {
	case joined != nil:
		dst = append(w.list(append(dst, `,"causes":[`...), joined, depth), ']')
	case below != nil && depth > 1 && w.left > 0:
		dst = w.cause(append(dst, `,"cause":`...), below, depth-1)
	}
	return append(dst, '}')
}

func (w *jsonTree) list(dst []byte, errs []error, depth int) []byte {
	n := 0
	for _, e := range errs {
		if e == nil || depth <= 1 || w.left <= 0 {
			continue
		}
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = w.cause(dst, e, depth-1)
	}
	return dst
}

// appendCode appends a code constant, which is an error without context.
func appendCode(dst []byte, c taxonomy.Coded, code *taxonomy.Code) []byte {
	t := c.Taxonomy()
	dst = appendHead(dst, t, &t.Categories[code.Category])
	dst = append(appendText(dst, code.Value), `","message":"`...)
	dst = append(appendText(dst, code.Value), `","retryable":`...)
	return append(strconv.AppendBool(dst, t.Rows[c.Row()].Retryable), `,"context":{}}`...)
}

// causeValue returns the log value of a cause: what its JSON says, but that the branches of a fork are texts.
func causeValue(err error) slog.Value {
	if !bounded(err) {
		return slog.StringValue(causeString(err))
	}
	return causeTreeValue(err)
}

func causeTreeValue(err error) slog.Value {
	if te := asError(err); te != nil {
		if v, ok := te.(slog.LogValuer); ok {
			return v.LogValue()
		}
		return slog.StringValue(te.Error())
	}
	message := slog.String("message", causeText.Text(err.Error()))
	joined, below := descend(err)
	switch {
	case joined != nil:
		values := make([]any, 0, len(joined))
		for _, e := range joined {
			if e != nil {
				values = append(values, causeString(e))
			}
		}
		return slog.GroupValue(message, slog.Any("causes", values))
	case below != nil:
		return slog.GroupValue(message, slog.Attr{Key: "cause", Value: causeTreeValue(below)})
	}
	return message.Value
}

// asError returns err as an error of a taxonomy, looking through a recorded stack; otherwise nil.
func asError(err error) taxonomy.Error {
	if s, ok := err.(*taxonomy.Traced); ok {
		err = s.Unwrap()
	}
	te, _ := err.(taxonomy.Error)
	return te
}

// descend returns what is to be shown below an error that is not of a taxonomy: the first error below it that
// is of one, or the branches where the chain forks; otherwise nothing.
func descend(err error) (joined []error, below error) {
	for range maxDepth {
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			return x.Unwrap(), nil
		default:
			return nil, nil
		}
		if err == nil {
			return nil, nil
		}
		if asError(err) != nil {
			return nil, err
		}
		if x, ok := err.(interface{ Unwrap() []error }); ok && len(x.Unwrap()) > 0 {
			return nil, err
		}
	}
	return nil, nil
}

// bounded reports whether err's tree is within the bounds.
func bounded(err error) bool {
	left := maxCauses
	return countTree(err, maxDepth, &left)
}

func countTree(err error, depth int, left *int) bool {
	for err != nil {
		if *left--; *left < 0 || depth == 0 {
			return false
		}
		depth--
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			for _, e := range x.Unwrap() {
				if !countTree(e, depth, left) {
					return false
				}
			}
			return true
		default:
			return true
		}
	}
	return true
}
