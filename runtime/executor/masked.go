package executor

import (
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// masked returns paths in which what looks like a secret is masked. The paths of a journal are not:
// a run that goes on needs them as they are.
func masked(paths []string) []string {
	out := paths
	for i, p := range paths {
		shown := taxonomy.Scrub(p)
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
	r.CommittedFiles, r.UncommittedFiles, r.UncheckedFiles = masked(r.CommittedFiles), masked(r.UncommittedFiles),
		masked(r.UncheckedFiles)
	r.Commits = slices.Clone(r.Commits)
	for i := range r.Commits {
		r.Commits[i].Paths = masked(r.Commits[i].Paths)
	}
}
