// Package scope decides which files a task may change.
//
//	s, err := scope.New(scope.Config{
//		Allowed:   []string{"src/**", "docs/*.md"},
//		Forbidden: []string{"**/.env", "src/gen/"},
//		Ask:       []string{"src/go.mod"},
//	})
//
// A path gets the first verdict that applies: forbidden, outside, ask, allowed. It is outside if
// there are allowed patterns and none matches. The verdict of each case depends on the mode:
//
//	mode          forbidden pattern   outside      ask pattern   anything else
//	strict        forbidden           outside      ask           allowed
//	ask           forbidden           ask          ask           allowed
//	off           refused by New      allowed      allowed       allowed
//
// Files of git itself and paths that leave the tree are forbidden in every mode.
package scope

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/setting"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Mode is the strictness of a [Scope]. The zero Mode is [Strict].
type Mode string

// The modes.
const (
	Strict Mode = "strict" // a file outside the allowed patterns is an error
	Ask    Mode = "ask"    // a person is asked about files outside the allowed patterns
	Off    Mode = "off"    // everything is allowed except files of git and paths out of the tree
)

// Config configures a [Scope].
//
// Patterns are those of github.com/bmatcuk/doublestar, on paths relative to the root of the working
// tree, with slashes on every system: `*` and `?` match within one part of a path, a part `**`
// matches any number of directories, `{a,b}` either, `[a-z]` one character. A pattern that ends in
// a slash matches a directory and everything below it. A forbidden or ask pattern whose last part
// has no wildcard also matches everything below a directory of that name.
type Config struct {
	Mode Mode
	// Allowed are the patterns of files that may be changed. If it is empty, no file is outside.
	Allowed []string
	// Forbidden are the patterns of files that must not be changed.
	Forbidden []string
	// Ask are the patterns of files that a person is asked about. In mode strict, a file outside
	// the allowed patterns is an error, even if Ask matches it.
	Ask []string
	// IgnoreCase ignores the case of letters. On Windows, macOS and iOS it is always ignored.
	IgnoreCase bool
}

// Scope judges paths by patterns. It is an [executor.Guard], has no state, and is safe for
// concurrent use.
type Scope struct {
	mode                    Mode
	fold                    bool
	allowed, forbidden, ask []pattern
}

var _ executor.Guard = (*Scope)(nil)

// New returns a scope. The error joins evidence of each invalid setting: source config, op
// load_config, type invalid. The attribute field names the setting, such as "scope.allowed[2]".
func New(c Config) (*Scope, error) {
	s := &Scope{mode: c.Mode, fold: c.IgnoreCase}
	switch runtime.GOOS {
	case "windows", "darwin", "ios":
		s.fold = true
	}
	var wrong []error
	switch s.mode {
	case "":
		s.mode = Strict
	case Strict, Ask:
	case Off:
		if len(c.Forbidden) > 0 {
			wrong = append(
				wrong, setting.Invalid("scope.mode", "off", "strict or ask, because there are forbidden patterns"))
		}
	default:
		wrong = append(wrong, setting.Invalid("scope.mode", string(c.Mode), "strict, ask or off"))
	}
	compile := func(list string, sources []string, restricts bool) (patterns []pattern) {
		for i, source := range sources {
			p, err := newPattern(source, restricts, s.fold)
			if err != nil {
				field := fmt.Sprintf("scope.%s[%d]", list, i)
				wrong = append(wrong, setting.Invalid(field, source, "a usable pattern: "+err.Error()))
			}
			patterns = append(patterns, p)
		}
		return patterns
	}
	s.allowed = compile("allowed", c.Allowed, false)
	s.forbidden = compile("forbidden", c.Forbidden, true)
	s.ask = compile("ask", c.Ask, true)
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return s, nil
}

// Mode returns the mode.
func (s *Scope) Mode() string { return string(s.mode) }

// Judge returns a verdict for each change. It fails only when ctx ends.
func (s *Scope) Judge(ctx context.Context, changes []executor.Change) ([]executor.Verdict, error) {
	verdicts := make([]executor.Verdict, len(changes))
	for i := range changes {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if changes[i].Git || changes[i].Escapes {
			verdicts[i] = executor.Forbidden
			continue
		}
		verdicts[i], _ = s.Explain(changes[i].Path)
	}
	return verdicts, nil
}

// Explain returns the verdict on a path and the reason: the pattern that matches, or a phrase. If
// case is ignored, the pattern has lower-case letters.
func (s *Scope) Explain(p string) (verdict executor.Verdict, reason string) {
	if !inside(p) {
		return executor.Forbidden, "it is not a path within the working tree"
	}
	if GitOwned(p) {
		return executor.Forbidden, "it belongs to git"
	}
	if s.mode == Off {
		return executor.Allowed, "the scope is off"
	}
	if s.fold {
		p = folded(p)
	}
	if source, ok := match(s.forbidden, p); ok {
		return executor.Forbidden, source
	}
	allowed, ok := match(s.allowed, p)
	if !ok && len(s.allowed) > 0 {
		if s.mode == Ask {
			return executor.NeedsAsk, outsideAllowed
		}
		return executor.Outside, outsideAllowed
	}
	if source, ok := match(s.ask, p); ok {
		return executor.NeedsAsk, source
	}
	if !ok {
		return executor.Allowed, "nothing forbids it"
	}
	return executor.Allowed, allowed
}

const outsideAllowed = "it is outside the allowed patterns"

// inside reports whether p is clean, relative and within the working tree.
func inside(p string) bool {
	return p != "." && path.Clean(p) == p && strings.IndexByte(p, 0) < 0 && filepath.IsLocal(filepath.FromSlash(p))
}

// Watches reports whether p matches a forbidden pattern. Changes of such files must be found even
// if git ignores them.
func (s *Scope) Watches(p string) bool {
	if s.fold {
		p = folded(p)
	}
	_, ok := match(s.forbidden, p)
	return ok && inside(p)
}

// Pathspecs returns pathspecs of git that select the files that match a forbidden pattern, and
// possibly others. A search for watched files can skip directories that none of them reaches.
func (s *Scope) Pathspecs() (specs []string) {
	magic := ":(glob)"
	if s.fold {
		magic = ":(glob,icase)"
	}
	for _, p := range s.forbidden {
		spec := p.pathspec(s.fold)
		specs = append(specs, magic+spec)
		if dir, ok := strings.CutSuffix(spec, "/**"); ok {
			specs = append(specs, magic+dir)
		}
	}
	return specs
}

// Action is the action of a [Decision].
type Action string

// The actions.
const (
	Allow   Action = "ALLOW"
	Block   Action = "BLOCK"
	AskUser Action = "ASK_USER"
)

// Decision is the decision about several paths together.
type Decision struct {
	// Action is to block if any path is forbidden or outside, otherwise to ask if any needs it.
	Action Action
	// Reason explains the action in one line.
	Reason string
	// Files are the paths that the action is about; all of them if they are allowed.
	Files []string
	// Err is the evidence of a block (source and op scope), otherwise nil. Its type is forbidden if
	// any path is, else outside_allowed; its files are all blocked paths, the forbidden ones first.
	Err error
}

// Decide returns one decision about several paths. It is for programs without an executor.
func (s *Scope) Decide(paths []string) Decision {
	by := map[executor.Verdict][]string{}
	for _, p := range paths {
		verdict, _ := s.Explain(p)
		by[verdict] = append(by[verdict], p)
	}
	forbidden, outside, ask := by[executor.Forbidden], by[executor.Outside], by[executor.NeedsAsk]
	switch {
	case len(forbidden)+len(outside) > 0:
		ev := &taxonomy.Evidence{
			Source: "scope", Op: "scope", Type: "forbidden", Files: slices.Concat(forbidden, outside),
			Attributes: map[string]string{"scope_mode": string(s.mode)},
		}
		if len(forbidden) == 0 {
			ev.Type = "outside_allowed"
		}
		reason := fmt.Sprintf("forbidden: %d, outside the allowed patterns: %d", len(forbidden), len(outside))
		return Decision{Action: Block, Reason: reason, Files: ev.Files, Err: ev}
	case len(ask) > 0:
		return Decision{Action: AskUser, Reason: fmt.Sprintf("%d of %d files need approval", len(ask), len(paths)),
			Files: ask}
	}
	return Decision{Action: Allow, Reason: "all files are allowed", Files: paths}
}

// folded returns s in lower case. Letters that differ only in case become equal.
func folded(s string) string {
	return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, s)
}
