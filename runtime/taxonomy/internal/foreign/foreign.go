// Package foreign asks errors of any origin for what they say, and survives their panics: the
// methods of a nil pointer that became an error panic, and so do those of types that are simply
// broken.
package foreign

import (
	"fmt"
	"log/slog"
)

// maxText is how many bytes of an error's text are taken. All who ask show far less, and mask
// secrets first, which reads all of it.
const maxText = 256 << 10

// Text returns the text of an error, of one that is too long the beginning: "" for nil, a note when
// its Error method panics.
func Text(err error) (text string) {
	if err == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("(%T panics when asked for its text)", err)
		}
	}()
	text = err.Error()
	return text[:min(len(text), maxText)]
}

// Below returns what err wraps: the branches where the chain forks, or one error. A panic counts as
// nothing.
func Below(err error) (branches []error, one error) {
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		return nil, unwrap(x)
	case interface{ Unwrap() []error }:
		return fork(x), nil
	}
	return nil, nil
}

func unwrap(x interface{ Unwrap() error }) (below error) {
	defer func() {
		if recover() != nil {
			below = nil
		}
	}()
	return x.Unwrap()
}

func fork(x interface{ Unwrap() []error }) (below []error) {
	defer func() {
		if recover() != nil {
			below = nil
		}
	}()
	return x.Unwrap()
}

// Within reports whether the tree of err is at most depth deep and has at most count errors.
func Within(err error, depth, count int) bool {
	return within(err, depth, &count)
}

func within(err error, depth int, left *int) bool {
	for err != nil {
		if *left--; *left < 0 || depth == 0 {
			return false
		}
		depth--
		branches, one := Below(err)
		for _, e := range branches {
			if !within(e, depth, left) {
				return false
			}
		}
		err = one
	}
	return true
}

// LogValue returns the log value of an error; a note when it panics.
func LogValue(v slog.LogValuer) (value slog.Value) {
	defer func() {
		if recover() != nil {
			value = slog.StringValue(fmt.Sprintf("(%T panics when asked for its log value)", v))
		}
	}()
	return v.LogValue()
}
