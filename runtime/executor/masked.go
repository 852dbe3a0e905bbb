package executor

import (
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds in bytes on what is kept of others' texts.
const (
	maxName    = 256
	maxMessage = 4 << 10
	maxAnswer  = 16 << 10
	maxDetails = 64 << 10
)

// maskedPaths returns paths in which what looks like a secret is masked. The paths of a journal are not:
// a run that goes on needs them as they are.
func maskedPaths(paths []string) []string {
	out := paths
	for i, p := range paths {
		shown := taxonomy.Redact(p)
		if shown == p {
			continue
		}
		if &out[0] == &paths[0] {
			out = slices.Clone(paths)
		}
		out[i] = shown
	}
	return out
}

// mask masks the paths of a result.
func (r *Result) mask() {
	r.CommittedFiles, r.UncommittedFiles, r.UncheckedFiles = maskedPaths(r.CommittedFiles),
		maskedPaths(r.UncommittedFiles),
		maskedPaths(r.UncheckedFiles)
	r.Commits = slices.Clone(r.Commits)
	for i := range r.Commits {
		r.Commits[i].Paths = maskedPaths(r.Commits[i].Paths)
	}
}
