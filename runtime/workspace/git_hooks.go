package workspace

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
)

// The hooks that are run if the user wants that.
const (
	hookPreCommit = "pre-commit"
	hookCommitMsg = "commit-msg"
)

// pinHooks remembers the hooks that are to be run, so that others never are.
func (g *Git) pinHooks(ctx context.Context, st *state) error {
	out, err := g.git(
		ctx, call{op: opPrepare, remote: true,
			args: []string{"rev-parse", "--path-format=absolute", "--git-path", "hooks"}})
	if err != nil {
		return err
	}
	dir := filepath.FromSlash(strings.TrimRight(string(out), "\n"))
	list, err := os.ReadDir(dir)
	if err != nil && !missing(err) {
		return fault(opPrepare, "", []string{dir}, err)
	}
	st.HooksDir, st.Hooks = raw(dir), map[raw]string{}
	for _, d := range list {
		if !d.IsDir() {
			st.Hooks[raw(filepath.Join(dir, d.Name()))] = ""
		}
	}
	return g.nameContents(opPrepare, st.Hooks)
}

// hook runs a hook of the user's, if it is wanted and was there when the run began. Trusted has
// found it unchanged.
func (g *Git) hook(ctx context.Context, st *state, name, index string, args ...string) error {
	if !g.opts.Hooks {
		return nil
	}
	file := filepath.Join(string(st.HooksDir), name)
	if _, ok := st.Hooks[raw(file)]; !ok {
		return nil
	}
	full := append(
		[]string{"-c", "core.hooksPath=" + string(st.HooksDir), "hook", "run", "--ignore-missing", name, "--"}, args...)
	_, err := g.git(
		ctx, call{op: opCommit, args: full, env: []string{"GIT_INDEX_FILE=" + index}, stdin: bytes.NewReader(nil)})
	return err
}
