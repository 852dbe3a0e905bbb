package gen

import "fmt"

// UnknownStrategy is the error of asking for a strategy that the taxonomy does not declare.
//
//go:noinline
func UnknownStrategy(name string) error {
	if name == "" {
		return fmt.Errorf("recover: the reaction names no strategy")
	}
	return fmt.Errorf("recover: no strategy %q", name)
}

// UnknownCheck is the error of asking for a check that the taxonomy does not declare.
//
//go:noinline
func UnknownCheck(name string) error {
	if name == "" {
		return fmt.Errorf("check: no name")
	}
	return fmt.Errorf("check: no check %q", name)
}
