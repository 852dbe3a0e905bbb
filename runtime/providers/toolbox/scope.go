package toolbox

import (
	"context"
	"fmt"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// WithinScope returns a function for [Options.Write] that refuses what the guard does not allow, with evidence of source
// "scope" and op "scope": type "forbidden" or "outside_allowed", the file, and the attribute scope_mode. What a person
// would be asked about is let through, since the executor asks about all files together once the call has ended.
func WithinScope(g executor.Guard) func(ctx context.Context, path string) error {
	return func(ctx context.Context, path string) error {
		verdicts, err := g.Judge(ctx, []executor.Change{{Path: path, Kind: executor.Modified}})
		if err != nil {
			return fmt.Errorf("judge a file that is to be written: %w", err)
		}
		verdict := executor.Forbidden
		if len(verdicts) == 1 && verdicts[0] != 0 {
			verdict = verdicts[0]
		}
		kind := "forbidden"
		switch verdict {
		case executor.Allowed, executor.NeedsAsk:
			return nil
		case executor.Outside:
			kind = "outside_allowed"
		}
		return &taxonomy.Evidence{
			Source: "scope", Op: "scope", Type: kind, Files: []string{path},
			Attributes: map[string]string{"scope_mode": g.Mode()},
			Text:       fmt.Sprintf("a tool was asked to change %s", shownPath(path)),
		}
	}
}
