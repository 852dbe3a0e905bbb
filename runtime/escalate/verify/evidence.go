package verify

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The words of evidence.
const (
	sourcePlan  = "plan"
	opPrepare   = "prepare"
	sourceCheck = "check"
	opGate      = "gate"
	opCriteria  = "criteria"

	typeNotFound = "not_found"
	typeDenied   = "denied"
	typeUnset    = "unset_variable"
	typeTimeout  = "timeout"
	typeStart    = "start"

	typeFormat   = "format"
	typeSections = "missing_sections"
	typeCount    = "count"
	typeSize     = "size"
	typeContent  = "content"

	attributeKind     = "kind"
	attributeName     = "name"
	attributeHow      = "how"
	attributeCommand  = "command"
	attributeExpected = "expected"
	attributeActual   = "actual"
)

// Bounds in bytes on what is said: of a name or a path, and of a text.
const (
	maxName = 256
	maxSaid = 1000
)

// named returns a name as a message shows it: quoted unless it is a plain word.
func named(name string) string {
	if name = text.Beginning(name, maxName); strings.ContainsFunc(name, unicode.IsSpace) {
		return strconv.Quote(name)
	}
	return text.Name(name)
}

// stopped is evidence that nothing was found out since the context ended. It is no success.
func stopped(ctx context.Context, source, op, what string) *taxonomy.Evidence {
	err, cause := ctx.Err(), context.Cause(ctx)
	if !errors.Is(cause, err) {
		err = fmt.Errorf("%w: %w", err, cause)
	} else {
		err = cause
	}
	ev := detect.Of(fmt.Errorf("verify %s: %w", what, err))
	ev.Source, ev.Op = source, op
	return &ev
}

// with sets attributes of evidence that nobody else has yet.
func with(ev *taxonomy.Evidence, pairs ...string) *taxonomy.Evidence {
	all := make(map[string]string, len(ev.Attributes)+len(pairs)/2)
	for name, value := range ev.Attributes {
		all[name] = text.OneLine(value, maxSaid)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		all[pairs[i]] = text.OneLine(pairs[i+1], maxSaid)
	}
	ev.Attributes = all
	return ev
}
