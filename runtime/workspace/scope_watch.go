package workspace

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Watches reports whether p is among what is forbidden, so that a change of it must be seen even if
// git ignores the file. Git's own directories are not among it: whoever watches them looks at more
// than files.
func (s *Scope) Watches(p string) bool {
	if s.mode == ScopeOff || !inside(p) {
		return false
	}
	if s.fold {
		p = folded(p)
	}
	return find(s.forbidden, p) != nil
}

// WatchesBelow reports whether a path below the directory may be one that is watched; "" is the
// root. A walk for watched files need not enter other directories.
func (s *Scope) WatchesBelow(dir string) bool {
	if s.mode == ScopeOff {
		return false
	}
	if s.fold {
		dir = folded(dir)
	}
	for i := range s.forbidden {
		if s.forbidden[i].reaches(dir) {
			return true
		}
	}
	return false
}

// reaches reports whether the glob may match a path below dir.
func (g *glob) reaches(dir string) bool {
	parts := g.parts
	if dir == "" || dir == "." {
		return true
	}
	for name := range strings.SplitSeq(dir, "/") {
		if len(parts) == 0 {
			return false
		}
		if parts[0] == "**" {
			return true
		}
		if !doublestar.MatchUnvalidated(parts[0], name) {
			return false
		}
		parts = parts[1:]
	}
	return len(parts) > 0
}
