package workspace

import (
	"encoding/json"
	"fmt"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The words of the scope guard in evidence.
const (
	sourceScope = "scope"
	opScope     = "scope"

	typeForbidden      = "forbidden"
	typeOutsideAllowed = "outside_allowed"

	attributeScopeMode    = "scope_mode"
	attributeOutsideFiles = "outside_files"
)

// ScopeAction is what a [Decision] comes to.
type ScopeAction string

// The actions.
const (
	ScopeAllow   ScopeAction = "ALLOW"
	ScopeBlock   ScopeAction = "BLOCK"
	ScopeAskUser ScopeAction = "ASK_USER"
)

// Decision is what a [Scope] says of several paths together.
type Decision struct {
	// Action is to block when any path is forbidden or outside, otherwise to ask when any is to be
	// asked about.
	Action ScopeAction
	// Reason says in one line why, for people.
	Reason string
	// Files are the paths that the action is about, in their order; all of them when they are
	// allowed.
	Files []string
	// Err is the evidence of a block, nil otherwise: type forbidden if any path is, else
	// outside_allowed, with all blocked paths as its files. When there are both kinds, attribute
	// outside_files lists the second as a JSON array.
	Err error
}

// Decide judges paths together, for those who check files without an executor.
func (s *Scope) Decide(paths []string) Decision {
	var blocked, outside, ask []string
	var first string
	for _, p := range paths {
		verdict, why := s.Explain(p)
		switch verdict {
		case executor.Allowed:
			continue
		case executor.NeedsAsk:
			ask = append(ask, p)
			continue
		case executor.Outside:
			outside = append(outside, p)
		case executor.Forbidden:
			if first == "" {
				first = fmt.Sprintf("%s: %s", text.Quote(p, maxQuoted), why)
			}
		}
		blocked = append(blocked, p)
	}
	switch {
	case len(blocked) > 0:
		return s.block(blocked, outside, first)
	case len(ask) > 0:
		return Decision{Action: ScopeAskUser, Reason: fmt.Sprintf("%s to be asked about", are(len(ask))), Files: ask}
	}
	return Decision{Action: ScopeAllow, Reason: "all of it is allowed", Files: paths}
}

// block makes the decision about blocked paths, of which some may be outside only.
func (s *Scope) block(blocked, outside []string, first string) Decision {
	ev := &taxonomy.Evidence{
		Source: sourceScope, Op: opScope, Type: typeForbidden, Files: blocked,
		Attributes: map[string]string{attributeScopeMode: string(s.mode)},
	}
	forbidden := len(blocked) - len(outside)
	d := Decision{Action: ScopeBlock, Files: blocked, Err: ev}
	switch {
	case forbidden == 0:
		ev.Type = typeOutsideAllowed
		d.Reason = are(len(outside)) + " outside what is allowed"
	case len(outside) == 0:
		d.Reason = fmt.Sprintf("%s forbidden (%s)", are(forbidden), first)
	default:
		d.Reason = fmt.Sprintf("%s forbidden (%s), %s outside what is allowed", are(forbidden), first,
			are(len(outside)))
		if list, err := json.Marshal(outside); err == nil {
			ev.Attributes[attributeOutsideFiles] = string(list)
		}
	}
	return d
}

func are(n int) string {
	if n == 1 {
		return "1 file is"
	}
	return fmt.Sprintf("%d files are", n)
}
