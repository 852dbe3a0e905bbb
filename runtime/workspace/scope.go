package workspace

import (
	"context"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
)

// ScopeMode is how strictly a [Scope] judges. The zero ScopeMode is [ScopeStrict].
type ScopeMode string

// The modes.
const (
	// ScopeStrict blocks what is outside the allowed patterns.
	ScopeStrict ScopeMode = "strict"
	// ScopeAsk has a person asked about what is outside the allowed patterns.
	ScopeAsk ScopeMode = "ask"
	// ScopeOff allows everything but git's own files.
	ScopeOff ScopeMode = "off"
)

// ScopeConfig says which files a task may change.
//
// Patterns are those of github.com/bmatcuk/doublestar, on paths that are relative to the root of
// the working tree, with slashes on every system: `*` and `?` stay within one part of a path, a
// part `**` stands for any number of directories, `{a,b}` for either, `[a-z]` for one character. A
// pattern that ends in a slash stands for a directory and everything below it. What restricts
// reaches further than what allows: a forbidden or ask pattern whose last part is a plain name also
// covers everything below a directory of that name.
//
// Of the lists that have a pattern for a path, forbidden outweighs outside, which outweighs ask,
// which outweighs allowed.
type ScopeConfig struct {
	Mode ScopeMode
	// Allowed are the patterns of what may be changed. Without any, everything may be that is not
	// forbidden.
	Allowed []string
	// Forbidden are the patterns of what must not be changed.
	Forbidden []string
	// Ask are the patterns of what a person is asked about, in every mode but ScopeOff. With
	// Allowed patterns and ScopeStrict they narrow what is allowed: one that has no path in common
	// with them never has an effect, since what is outside is blocked and nobody is asked.
	Ask []string
	// Case says whether the case of letters counts.
	Case CaseRule
	// AllowGit lets files of a directory .git be changed as others are. Without it they are
	// forbidden in every mode, because what is in them decides what the next git command runs.
	AllowGit bool
}

// CaseRule says whether the case of letters counts in paths.
type CaseRule uint8

// The rules. The zero CaseRule is the one of the system.
const (
	CaseOfSystem    CaseRule = iota // counts, except on Windows and Apple's systems
	CaseSensitive                   // counts
	CaseInsensitive                 // does not count
)

func (c CaseRule) folds() bool {
	switch c {
	case CaseSensitive:
		return false
	case CaseInsensitive:
		return true
	}
	return runtime.GOOS == "windows" || runtime.GOOS == "darwin" || runtime.GOOS == "ios"
}

// Scope judges paths by patterns. It is an [executor.Guard] and is safe for concurrent use. It
// remembers nothing: the executor remembers what a person approved, for each run and path.
type Scope struct {
	mode      ScopeMode
	fold      bool
	allowGit  bool
	allowed   []glob
	forbidden []glob
	ask       []glob
}

var _ executor.Guard = (*Scope)(nil)

// NewScope returns the scope that c describes. Its error names every pattern that cannot be used,
// and a mode that is none, as evidence of the configuration: the field is like scope.allowed[2],
// counted from 0.
func NewScope(c ScopeConfig) (*Scope, error) {
	if c.Mode == "" {
		c.Mode = ScopeStrict
	}
	s := &Scope{mode: c.Mode, fold: c.Case.folds(), allowGit: c.AllowGit}
	var wrong misfits
	switch c.Mode {
	case ScopeStrict, ScopeAsk, ScopeOff:
	default:
		wrong.add("scope.mode", string(c.Mode), "strict, ask or off")
	}
	s.allowed = compile("scope.allowed", c.Allowed, false, s.fold, &wrong)
	s.forbidden = compile("scope.forbidden", c.Forbidden, true, s.fold, &wrong)
	s.ask = compile("scope.ask", c.Ask, true, s.fold, &wrong)
	if err := wrong.joined(); err != nil {
		return nil, err
	}
	return s, nil
}

// Mode names how strictly the scope judges.
func (s *Scope) Mode() string { return string(s.mode) }

// Judge returns a verdict for each change. A path that is not clean and within the working tree is
// forbidden. It fails only when ctx ends.
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

// Explain returns the verdict on a path and what it comes from: a pattern as it was configured, or
// a few words.
func (s *Scope) Explain(p string) (verdict executor.Verdict, why string) {
	if !inside(p) {
		return executor.Forbidden, "it is not a path within the working tree"
	}
	if !s.allowGit && ofGit(p) {
		return executor.Forbidden, "it is git's own"
	}
	if s.mode == ScopeOff {
		return executor.Allowed, "the scope is off"
	}
	if s.fold {
		p = folded(p)
	}
	if g := find(s.forbidden, p); g != nil {
		return executor.Forbidden, g.source
	}
	allowed := find(s.allowed, p)
	if allowed == nil && len(s.allowed) > 0 {
		if s.mode == ScopeAsk {
			return executor.NeedsAsk, "it is outside what is allowed"
		}
		return executor.Outside, "it is outside what is allowed"
	}
	if g := find(s.ask, p); g != nil {
		return executor.NeedsAsk, g.source
	}
	if allowed == nil {
		return executor.Allowed, "nothing forbids it"
	}
	return executor.Allowed, allowed.source
}

// inside reports whether p is clean, relative and does not lead out of the working tree.
func inside(p string) bool {
	return p != "." && path.Clean(p) == p && strings.IndexByte(p, 0) < 0 && filepath.IsLocal(filepath.FromSlash(p))
}
