package verify

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/excerpt"
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

// scrubbed masks what looks like a secret.
func scrubbed(s string) string { return taxonomy.Scrub(strings.ToValidUTF8(s, "\uFFFD")) }

// said returns a text that others may have written, on one line.
func said(s string) string {
	s = excerpt.Beginning(s, maxSaid, scrubbed)
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// named returns a name as a text says it: quoted unless it is plain.
func named(name string) string {
	plain := name != "" &&
		!strings.ContainsFunc(
			name, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == '"' })
	name = excerpt.Beginning(name, maxName, scrubbed)
	if plain {
		return name
	}
	return strconv.Quote(name)
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
		all[name] = said(value)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		all[pairs[i]] = said(pairs[i+1])
	}
	ev.Attributes = all
	return ev
}
