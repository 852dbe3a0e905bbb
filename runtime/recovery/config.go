package recovery

import (
	"crypto/rand"
	"fmt"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// runPrefix begins the names of the runs of mends.
const runPrefix = "recovery-"

// runName returns a name that nobody else has.
func runName() string { return runPrefix + rand.Text() }

func failf(format string, args ...any) *Error { return &Error{Message: fmt.Sprintf(format, args...)} }

// misfit is evidence of a setting that cannot work.
func misfit(field, value, expected string) error {
	value = text.Beginning(value, maxShown)
	return &taxonomy.Evidence{
		Source: "config", Op: "load_config", Type: "invalid",
		Err:        fmt.Errorf("%s is %q, expected %s", field, value, expected),
		Attributes: map[string]string{"field": field, "value": value, "expected": expected},
	}
}

// wrong returns what is wrong with the options.
func (o *Options) wrong() []error {
	all := o.wrongNumbers()
	for _, f := range []struct {
		field string
		fix   Fix
	}{{"LintFix", o.LintFix}, {"TypeFix", o.TypeFix}, {"TestFix", o.TestFix}, {"BuildFix", o.BuildFix}} {
		all = append(all, f.fix.wrong(f.field)...)
	}
	if o.Installer != nil {
		all = append(all, o.Installer.wrong()...)
	}
	return all
}
