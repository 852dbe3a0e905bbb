package workspace

import (
	"errors"
	"fmt"

	"github.com/errgen/errgen/runtime/internal/text"
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
	value = text.Beginning(value, maxQuoted)
	return &taxonomy.Evidence{
		Source: "config", Op: "load_config", Type: "invalid",
		Err:        fmt.Errorf("%s is %q, expected %s", field, value, expected),
		Attributes: map[string]string{"field": field, "value": value, "expected": expected},
	}
}
