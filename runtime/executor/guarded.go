package executor

import (
	"fmt"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// contained runs what belongs to somebody else. A panic in it is evidence of type "panic".
func contained(op operation, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &taxonomy.Evidence{Source: op.source, Op: op.name, Type: typePanic, Text: panicText(p),
				Files: op.files}
		}
	}()
	return f()
}

// panicText returns the text of a panic.
func panicText(p any) string { return text.Beginning(fmt.Sprint("panic: ", p), maxMessage) }

// nameOf returns the name of a provider, whatever its Name method does.
func nameOf(p Provider) (name string) {
	_ = contained(operation{}, func() error {
		name = p.Name()
		return nil
	})
	return name
}
