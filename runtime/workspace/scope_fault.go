package workspace

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxFaults bounds how many faults are listed at once.
const maxFaults = 50

// faults collects what is wrong with a configuration, so that all of it is said at once.
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

// evidence returns the faults as the scope's evidence, or nil when there are none.
func (f *faults) evidence(mode string) error {
	if len(f.errs) == 0 {
		return nil
	}
	err := f.joined()
	return &taxonomy.Evidence{
		Source: sourceScope, Op: opScope, Text: err.Error(), Err: err,
		Attributes: map[string]string{attributeScopeMode: mode},
	}
}

// joined returns the faults as one error, one a line.
func (f *faults) joined() error {
	if f.more > 0 {
		return errors.Join(append(f.errs, fmt.Errorf("and %d more", f.more))...)
	}
	return errors.Join(f.errs...)
}

// quoted returns s in quotes, without what cannot be printed; of a long s the beginning.
func quoted(s string) string {
	const limit = 200
	if len(s) > limit {
		return strconv.Quote(s[:limit]) + "…"
	}
	return strconv.Quote(s)
}
