package toolbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// WithinScope returns a function for [Options.Write] that refuses files that the guard does not
// allow. Its error is evidence of source "scope" and op "scope" with the type "forbidden" or
// "outside_allowed", the file, and the attribute scope_mode. Files that a person is asked about
// pass, because the executor asks about all files of a call together.
func WithinScope(g executor.Guard) func(ctx context.Context, path string) error {
	return func(ctx context.Context, path string) error {
		verdict, err := judge(ctx, g, path)
		if err != nil {
			return fmt.Errorf("check the scope of a file: %w", err)
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
			Text:       fmt.Sprintf("a tool was asked to change %s", text.Name(path)),
		}
	}
}

// errForbidden means that the guard forbids a file.
var errForbidden = errors.New("the task's scope forbids it")

// ReadWithinScope returns a function for [Options.Read] that refuses the files that the guard
// forbids, such as secrets. All other files can be read, also those that the task must not change.
func ReadWithinScope(g executor.Guard) func(ctx context.Context, path string) error {
	return func(ctx context.Context, path string) error {
		verdict, err := judge(ctx, g, path)
		if err != nil {
			return fmt.Errorf("check the scope of a file: %w", err)
		}
		if verdict == executor.Forbidden {
			return errForbidden
		}
		return nil
	}
}

// judge returns the guard's verdict on a change of a file. Without a verdict it is forbidden.
func judge(ctx context.Context, g executor.Guard, path string) (executor.Verdict, error) {
	verdicts, err := g.Judge(ctx, []executor.Change{{Path: path, Kind: executor.Modified}})
	if err != nil || len(verdicts) != 1 || verdicts[0] == 0 {
		return executor.Forbidden, err
	}
	return verdicts[0], nil
}
