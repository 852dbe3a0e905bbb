// Package gitfile reads files of git revisions, and tags. It is the only package of the errgen command that
// starts a process.
package gitfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Read returns the file that an expression such as v1.4.0:taxonomy.yaml names, in the repository of
// a directory. As in git, the path is relative to the root of the repository unless it begins with
// "./". Git does not ask for credentials or fetch objects. An expression that begins with a dash is
// an error.
func Read(ctx context.Context, dir, expression string) ([]byte, error) {
	if strings.HasPrefix(expression, "-") {
		return nil, errors.New("a revision does not begin with a dash")
	}
	return run(ctx, dir, "cat-file", "blob", expression)
}

// Tags returns the tags of the repository of a directory, and the path of the directory in it, which
// is empty for the root and otherwise ends with a slash.
func Tags(ctx context.Context, dir string) (tags []string, prefix string, err error) {
	list, err := run(ctx, dir, "tag", "--list")
	if err != nil {
		return nil, "", err
	}
	path, err := run(ctx, dir, "rev-parse", "--show-prefix")
	return strings.Fields(string(list)), strings.TrimSpace(string(path)), err
}

// Shallow reports whether the repository of a directory lacks commits, and may lack tags.
func Shallow(ctx context.Context, dir string) bool {
	answer, err := run(ctx, dir, "rev-parse", "--is-shallow-repository")
	return err != nil || strings.TrimSpace(string(answer)) == "true"
}

func run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
	content, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		first, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		return nil, errors.New(first)
	}
	if err != nil {
		return nil, fmt.Errorf("start git: %w", err)
	}
	return content, nil
}
