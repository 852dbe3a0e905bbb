// Package scope decides which files a task may change.
//
//	s, err := scope.New(scope.Config{
//		Allowed:   []string{"src/**", "docs/*.md"},
//		Forbidden: []string{"**/.env", "src/gen/"},
//		Ask:       []string{"src/go.mod"},
//	})
//
// A path gets the first verdict of: forbidden, outside (there are allowed patterns, none matches),
// ask, allowed. The mode changes what "outside" means:
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
	"github.com/errgen/errgen/runtime/executor/internal/evidence"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Mode is how strictly a [Scope] decides. The zero Mode is [Strict].
type Mode string

// The modes.
const (
	Strict Mode = "strict" // a file outside the allowed patterns is an error
	Ask    Mode = "ask"    // a person is asked about files outside the allowed patterns
	Off    Mode = "off"    // everything is allowed except files of git
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
	// Allowed are the patterns of files that may be changed. Without any, every file may be changed
	// that is not forbidden.
	Allowed []string
	// Forbidden are the patterns of files that must not be changed.
	Forbidden []string
	// Ask are the patterns of files that a person is asked about. In mode strict only files that
	// Allowed matches too can be asked about.
	Ask []string
	// IgnoreCase ignores the case of letters. It is always so on Windows, macOS and iOS.
	IgnoreCase bool
}

// Scope decides by patterns. It is an [executor.Guard], keeps no state, and is safe for concurrent
// use.
type Scope struct {
	mode                    Mode
	fold                    bool
	allowed, forbidden, ask []pattern
}

var (
	_ executor.Guard   = (*Scope)(nil)
	_ executor.Watcher = (*Scope)(nil)
)

// New returns a scope. Its error joins evidence for each setting that cannot be used (source
// config, op load_config, type invalid), with an attribute field such as "scope.allowed[2]",
// counted from 0.
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
				wrong, evidence.OfSetting("scope.mode", "off", "strict or ask, because there are forbidden patterns"))
		}
	default:
		wrong = append(wrong, evidence.OfSetting("scope.mode", string(c.Mode), "strict, ask or off"))
	}
	compile := func(list string, sources []string, restricts bool) (patterns []pattern) {
		for i, source := range sources {
			p, err := newPattern(source, restricts, s.fold)
			if err != nil {
				field := fmt.Sprintf("scope.%s[%d]", list, i)
				wrong = append(wrong, evidence.OfSetting(field, source, "a usable pattern: "+err.Error()))
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
		if changes[i].Escapes {
			verdicts[i] = executor.Forbidden
			continue
		}
		verdicts[i], _ = s.Explain(changes[i].Path)
	}
	return verdicts, nil
}

// Explain returns the verdict on a path and the reason: a pattern as it was configured, or a
// phrase.
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

// WatchesBelow reports whether a path below the directory can match a forbidden pattern; "" is the
// root. A search for watched files can skip other directories.
func (s *Scope) WatchesBelow(dir string) bool {
	if s.fold {
		dir = folded(dir)
	}
	for _, p := range s.forbidden {
		if p.reaches(dir) {
			return true
		}
	}
	return false
}

// Action is what a [Decision] demands.
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

// Decide decides about paths together. Use it without an executor.
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

// folded returns s with letters that differ in case only made equal.
func folded(s string) string {
	return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, s)
}
