package executor

import (
	"fmt"

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

// panicText returns what was thrown, whatever it is.
func panicText(p any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("panic with a %T", p)
		}
	}()
	return beginningOf(fmt.Sprint("panic: ", p), maxMessage)
}

// errorText returns what an error says, masked and bounded, whatever its Error method does.
func errorText(err error) (text string) {
	if err == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T that cannot be shown", err)
		}
	}()
	return beginningOf(err.Error(), maxMessage)
}

// nameOf returns the name of a provider, whatever its Name method does.
func nameOf(p Provider) (name string) {
	_ = contained(operation{}, func() error {
		name = p.Name()
		return nil
	})
	return name
}
