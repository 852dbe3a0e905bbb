//go:build unix

package workspace_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/workspace"
)

// Cancelled during any of its git commands, a commit is made or it is not; if it is, the index
// knows, so that the user's next commit does not take the files away again.
func TestCommitCancelledAtEachCommand(t *testing.T) {
	t.Parallel()
	made := 0
	for n := 1; n < 60; n += shortStep() {
		over, committed := cancelledAt(t, n)
		if committed {
			made++
		}
		if over {
			assert.Positive(t, made, "no commit was made that was cancelled")
			return
		}
	}
	t.Fatal("there is no end of git commands")
}

// cancelledAt commits, and cancels that behind the nth git command. It reports whether there were
// fewer.
func cancelledAt(t *testing.T, n int) (over, committed bool) {
	r := newRepo(t)
	r.write("staged.txt", "staged\n")
	r.git("add", "staged.txt")
	dir := t.TempDir()
	arm, reached, goOn := filepath.Join(dir, "arm"), filepath.Join(dir, "reached"), filepath.Join(dir, "go")
	require.NoError(t, syscall.Mkfifo(reached, 0o600))
	binary, _ := wrapped(t, "", fmt.Sprintf(
		"if [ -e %[1]s ]; then printf x >> %[1]s; if [ $(( $(wc -c < %[1]s) )) -eq %[2]d ]; then echo > %[3]s; "+
			"while [ ! -e %[4]s ]; do sleep 0.01; done; fi; fi",
		arm, n+1, reached, goOn))
	s := r.begin(workspace.Options{})
	s.work(map[string]string{"work.txt": "w\n"})
	s.reopen(workspace.Options{Binary: binary})
	require.NoError(t, os.WriteFile(arm, []byte("x"), 0o600))

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pipe, err := os.OpenFile(reached, os.O_RDWR, 0)
	require.NoError(t, err)
	done := make(chan bool)
	go func() {
		_, err := pipe.Read(make([]byte, 1))
		cancel()
		_ = os.WriteFile(goOn, nil, 0o600)
		done <- err == nil
	}()
	c := executor.Commit{Run: s.run, Attempt: 1, Checked: s.checked, Paths: []string{"work.txt"}, Message: "Work"}
	_, cerr := s.ws.Commit(ctx, c)
	require.NoError(t, pipe.Close())
	over = !<-done
	require.NoError(t, os.Remove(arm))

	found, err := s.ws.Committed(t.Context(), c)
	require.NoError(t, err)
	if cerr == nil {
		assert.NotEmpty(t, found.ID)
	}
	want := "A  staged.txt\n?? work.txt"
	if found.ID != "" {
		want = "A  staged.txt"
	}
	assert.Equal(t, want, r.git("status", "--porcelain"), "cancelled behind command %d: %v", n, cerr)
	return over, found.ID != "" && !over
}
