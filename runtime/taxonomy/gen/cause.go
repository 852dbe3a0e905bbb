package gen

import (
	"log/slog"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds on what is shown of a cause's tree. A tree beyond them is given by its text alone, so that a cycle or
// a tree that shares its branches ends.
const (
	maxDepth  = 32
	maxCauses = 128
)

// appendCause appends a cause as a JSON object: an error of a taxonomy as itself; any other by its text, with
// the errors of a taxonomy that are below it.
func appendCause(dst []byte, err error) []byte {
	if !bounded(err) {
		return append(appendString(append(dst, `{"message":`...), causeString(err)), '}')
	}
	return appendCauseTree(dst, err)
}

func appendCauseTree(dst []byte, err error) []byte {
	if te := asError(err); te != nil {
		return te.AppendJSON(dst)
	}
	dst = appendClean(append(dst, `{"message":`...), err.Error(), causeText)
	below, joined := descend(err)
	switch {
	case joined != nil:
		dst = append(dst, `,"causes":[`...)
		n := 0
		for _, e := range joined {
			if e == nil {
				continue
			}
			if n++; n > 1 {
				dst = append(dst, ',')
			}
			dst = appendCauseTree(dst, e)
		}
		dst = append(dst, ']')
	case below != nil:
		dst = append(dst, `,"cause":`...)
		dst = appendCauseTree(dst, below)
	}
	return append(dst, '}')
}

// causeValue returns the log value of a cause, which says what its JSON says.
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
	below, joined := descend(err)
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
func descend(err error) (below error, joined []error) {
	for range maxDepth {
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			return nil, x.Unwrap()
		default:
			return nil, nil
		}
		if err == nil {
			return nil, nil
		}
		if asError(err) != nil {
			return err, nil
		}
		if x, ok := err.(interface{ Unwrap() []error }); ok && len(x.Unwrap()) > 0 {
			return err, nil
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
