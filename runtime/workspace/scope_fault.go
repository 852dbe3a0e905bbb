package workspace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/internal/excerpt"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxFaults bounds how many faults are listed at once.
const maxFaults = 50

// faults collects what is wrong with a text, so that all of it is said at once.
type faults struct {
	errs []error
	more int
}

func (f *faults) add(format string, args ...any) {
	if len(f.errs) == maxFaults {
		f.more++
		return
	}
	f.errs = append(f.errs, fmt.Errorf(format, args...))
}

// joined returns the faults as one error, one a line.
func (f *faults) joined() error {
	if f.more > 0 {
		return errors.Join(append(f.errs, fmt.Errorf("and %d more", f.more))...)
	}
	return errors.Join(f.errs...)
}

// maxQuoted bounds what is quoted of a configuration, in bytes.
const maxQuoted = 200

// quoted returns s in quotes, without what cannot be printed; of a long s the beginning.
func quoted(s string) string {
	if len(s) > maxQuoted {
		return strconv.Quote(headOf(s, maxQuoted)) + "…"
	}
	return strconv.Quote(s)
}

// beginningOf returns s; of a long s the beginning.
func beginningOf(s string) string {
	if len(s) > maxQuoted {
		return headOf(s, maxQuoted) + "…"
	}
	return s
}

// headOf returns the first n bytes of a text that is longer, or fewer, secrets masked: what is left
// of one at the cut could not be known for one any more.
func headOf(s string, n int) string {
	return excerpt.Head(s, n, func(s string) string { return taxonomy.Scrub(strings.ToValidUTF8(s, "\uFFFD")) })
}

// misfits collects the settings that cannot be used, each as evidence of the configuration.
type misfits struct {
	errs []error
	more int
}

func (m *misfits) add(field, value, expected string) {
	if len(m.errs) == maxFaults {
		m.more++
		return
	}
	m.errs = append(m.errs, misfit(field, value, expected))
}

// joined returns all of it, or nil when there is nothing.
func (m *misfits) joined() error {
	if m.more > 0 {
		return errors.Join(append(m.errs, misfit("scope", fmt.Sprintf("%d more faults", m.more), "none"))...)
	}
	return errors.Join(m.errs...)
}

// misfit is the evidence of a setting that cannot be used.
func misfit(field, value, expected string) error {
	value = beginningOf(value)
	return &taxonomy.Evidence{
		Source: "config", Op: "load_config", Type: "invalid",
		Err:        fmt.Errorf("%s is %q, expected %s", field, value, expected),
		Attributes: map[string]string{"field": field, "value": value, "expected": expected},
	}
}
