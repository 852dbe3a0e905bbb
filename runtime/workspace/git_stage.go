package workspace

import (
	"context"
	"fmt"

	"github.com/errgen/errgen/runtime/internal/text"
)

// Stage puts the move of a file into the user's index: what it has for the first of the two paths
// it then has for the second. A file that the index does not have stays out of it, and so do
// changes of the file that are not staged; all else in it stays as it is. Staging the same move
// again changes nothing. It fits [FilerConfig].
//
// Errors are evidence of a git commit. No filter runs, because the content is not read.
func (g *Git) Stage(ctx context.Context, paths []string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(paths) != 2 {
		return fault(opCommit, fmt.Sprintf("a move has two paths, and not %d", len(paths)), paths, nil)
	}
	for _, p := range paths {
		if !inside(p) || ofGit(p) {
			return fault(opCommit, "not a path of the working tree: "+text.Quote(p, maxQuoted), paths, nil)
		}
	}
	from, to := paths[0], paths[1]
	if from == to {
		return nil
	}
	entries, err := g.readIndex(ctx, opCommit, g.indexFile())
	if err != nil {
		return withFiles(err, paths)
	}
	entry, ok := entries[from]
	if !ok {
		return nil
	}
	set := map[string]*staged{from: nil, to: &entry}
	if err := g.stage(ctx, opCommit, g.indexFile(), set); err != nil {
		return withFiles(err, paths)
	}
	return withFiles(g.moved(ctx, set), paths)
}
