package workspace_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/workspace"
)

// TestLocksOfTheUnseen leaves locks alone while there is a git command of which nobody may see
// where it runs, as of another user. A program that its user may execute but not read is such a
// one, too.
func TestLocksOfTheUnseen(t *testing.T) {
	if !asNobody(t) {
		return
	}
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	b, err := os.ReadFile(sh)
	require.NoError(t, err)
	program := filepath.Join(t.TempDir(), "git-waits")
	writeProgram(t, program, string(b))
	require.NoError(t, os.Chmod(program, 0o111))
	cmd := exec.Command(program, "-c", "echo ready; read line")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() {
		_ = in.Close()
		_ = cmd.Wait()
	}()
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Skip("this shell wants its own name: ", err)
	}
	if _, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", cmd.Process.Pid)); err == nil {
		t.Skip("this user may see everything")
	}

	r := newRepo(t)
	s := r.begin(workspace.Options{})
	locks := []string{".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock"}
	for _, lock := range locks {
		r.write(lock, "")
	}
	assert.Empty(t, s.detect())
	ev := evidenceOf(t, s.ws.Resume(s.ctx, s.run, s.checked))
	assert.Contains(t, ev.Text, "is a git command of which cannot be seen where it runs")
	for _, lock := range locks {
		assert.True(t, r.exists(lock), lock)
	}
}
