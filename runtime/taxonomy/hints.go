package taxonomy

import (
	"slices"
	"time"
)

// Hints are what an error says to whoever reacts to it. The zero Hints say nothing.
type Hints struct {
	// RetryAfter is how long to wait before the next try.
	RetryAfter Opt[time.Duration]
	// ResetAt is when trying makes sense again.
	ResetAt Opt[time.Time]
	// Files are what a reaction that reverts files puts back.
	Files []string
	// Credential names the credential that a shared wait is about.
	Credential string
	// Output is what the failed work printed.
	Output string
}

// HintsOf returns what the error says to whoever reacts to it: the fields that evidence fills from
// retry_after, reset_at, files, credential and output.
func HintsOf(err error) Hints {
	c, _ := First(err, nil)
	if h, ok := c.(interface{ Hints() Hints }); ok {
		return h.Hints()
	}
	e, ok := c.(Error)
	if _, unknown := c.(*Unknown); unknown || !ok {
		return Hints{}
	}
	t := e.Taxonomy()
	if i := e.Row().Category(); i < len(t.Categories) && t.Categories[i].List != nil {
		return t.Categories[i].hints(e)
	}
	return Hints{}
}

// hints reads the fields of e. Of several fields for one hint the first counts.
func (c *Category) hints(e Error) (h Hints) {
	var seen []string
	var list []any
	for i := range c.Fields {
		f := &c.Fields[i]
		at := slices.IndexFunc(f.From, isHint)
		if at < 0 || slices.Contains(seen, f.From[at]) {
			continue
		}
		if list == nil {
			list = c.List(e)
		}
		seen = append(seen, f.From[at])
		switch f.From[at] {
		case "retry_after":
			h.RetryAfter = fieldValue[time.Duration](list[i])
		case "reset_at":
			h.ResetAt = fieldValue[time.Time](list[i])
		case "files":
			h.Files = fieldValue[[]string](list[i]).Or(nil)
		case "credential":
			h.Credential = fieldValue[string](list[i]).Or("")
		case "output":
			h.Output = fieldValue[string](list[i]).Or("")
		}
	}
	return h
}

func isHint(from string) bool {
	switch from {
	case "retry_after", "reset_at", "files", "credential", "output":
		return true
	}
	return false
}

// fieldValue returns the value of the field that p points to, if it has one of the type.
func fieldValue[T any](p any) Opt[T] {
	switch p := p.(type) {
	case *T:
		return Some(*p)
	case *Opt[T]:
		return *p
	case *Secret[T]:
		if v, ok := p.Reveal(); ok {
			return Some(v)
		}
	}
	return Opt[T]{}
}

// RecoveryRequest is what a strategy gets: a failure and the reaction that asks for the strategy.
type RecoveryRequest struct {
	Err      error
	Reaction Reaction
	// Evidence is what Err was classified from: all that was said, where Err's message may be a
	// line of it. Nil is unknown. It must not be changed.
	Evidence *Evidence
	// NoText reports that the profile has texts not searched, so that a text does not say how long
	// to wait.
	NoText bool
	// Run names the run that it befell, which is who waits where several wait for the same; empty
	// is unknown.
	Run string
	// Attempt counts the tries of the strategy for this failure, from 1.
	Attempt int
}
