// Package evidence creates evidence about files and settings.
package evidence

import (
	"fmt"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// OfFile returns an error of an operation on a file or directory as evidence with the attribute
// path.
func OfFile(source, op, path string, err error) *taxonomy.Evidence {
	ev := detect.Of(err)
	ev.Source, ev.Op = source, op
	ev.SetAttribute("path", path)
	return &ev
}

// maxValue is the longest part of a value that is shown, in bytes.
const maxValue = 200

// OfSetting returns evidence about a setting that a program cannot use (source config, op
// load_config, type invalid) with the attributes field, value and expected. Secrets in the value are
// masked.
func OfSetting(field, value, expected string) error {
	value = text.Beginning(value, maxValue)
	return &taxonomy.Evidence{
		Source: "config", Op: "load_config", Type: "invalid",
		Err:        fmt.Errorf("%s is %q, expected %s", field, value, expected),
		Attributes: map[string]string{"field": field, "value": value, "expected": expected},
	}
}
