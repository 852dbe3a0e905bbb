// Package setting reports settings that a program cannot use.
package setting

import (
	"fmt"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxValue is the longest part of a value that is shown, in bytes.
const maxValue = 200

// Invalid returns evidence (source config, op load_config, type invalid) with the attributes field,
// value and expected. Secrets in the value are masked.
func Invalid(field, value, expected string) error {
	value = text.Beginning(value, maxValue)
	return &taxonomy.Evidence{
		Source: "config", Op: "load_config", Type: "invalid",
		Err:        fmt.Errorf("%s is %q, expected %s", field, value, expected),
		Attributes: map[string]string{"field": field, "value": value, "expected": expected},
	}
}
