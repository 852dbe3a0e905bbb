// Package boundary promises that all its errors have codes.
//
//errgen:boundary
package boundary

import (
	"os"

	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
)

// Read returns a foreign error.
func Read() error { // want "Read can return an error without a code, of os.ReadFile"
	_, err := os.ReadFile("x")
	return err
}

// Good does not.
func Good() error {
	if err := inner(); err != nil {
		return errs.NewDBFailed().WithCause(err)
	}
	return nil
}

func inner() error {
	_, err := os.ReadFile("x")
	return err
}
