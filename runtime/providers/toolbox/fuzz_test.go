package toolbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestFullDisk(t *testing.T) {
	tools := open(t, t.TempDir())
	for _, errno := range []syscall.Errno{syscall.ENOSPC, syscall.EROFS, syscall.EIO} {
		_, err := toolbox.Unwritten(tools, &fs.PathError{Op: "write", Path: ".errgen-x.tmp", Err: errno})
		var ev *taxonomy.Evidence
		require.ErrorAs(t, err, &ev, "the model can do nothing about %s", errno)
		assert.Equal(t, "anthropic-api", ev.Source)
		assert.Equal(t, "write a: "+errno.Error(), ev.Text)
		assert.NotEmpty(t, ev.Errno)
	}
	r, err := toolbox.Unwritten(tools, &fs.PathError{Op: "write", Path: "x", Err: syscall.ENAMETOOLONG})
	require.NoError(t, err)
	assert.Equal(t, toolbox.Result{Text: "a: file name too long", IsError: true}, r)
}

// Whatever a model asks for, nothing outside of the directory changes, nothing of git's does, and
// what ends a call is evidence that has a code.
func FuzzCall(f *testing.F) {
	for _, raw := range []string{
		`{"path":"a","content":"x"}`, `{"path":"../outside/kept","content":"x"}`,
		`{"path":"link/kept","old":"k","new":"x"}`,
		`{"path":".git/config","content":"x"}`, `{"path":"lib/../../outside/kept"}`, `{"path":`, `[]`, `{"path":1}`,
		`{"path":"\u0000"}`,
		`{"regexp":"(a*)*b","pattern":"**/*"}`, `{"command":"true; rm -rf ."}`, `{"path":"//x"}`,
		`{"path":"a\nb","content":""}`,
	} {
		for tool := range 9 {
			f.Add(tool, []byte(raw))
		}
	}
	names := []string{"read_file", "write_file", "edit_file", "delete_file", "list_files", "search_files",
		"run_command", "task_done", "task_blocked"}
	f.Fuzz(func(t *testing.T, tool int, raw []byte) {
		dir, outside := tree(t, map[string]string{"a": "x", "lib/b": "y", ".git/config": "kept by git"})
		require.NoError(t, os.WriteFile(filepath.Join(outside, "kept"), []byte("kept"), 0o644))
		require.NoError(t, os.Symlink("../outside", filepath.Join(dir, "link")))
		require.NoError(t, os.Symlink(".git", filepath.Join(dir, "g")))
		tools := open(t, dir, allow("true"))
		r, err := tools.Call(context.Background(), names[uint(tool)%uint(len(names))], json.RawMessage(raw))
		if err != nil {
			var ev *taxonomy.Evidence
			require.ErrorAs(t, err, &ev)
			assert.Contains(t, []string{"PROVIDER_CRASH", "PERMISSION_COMMAND_BLOCKED", "PERMISSION_FILE_ACCESS"},
				taxonomy.CodeOf(errs.Classify(ev)), "%v", ev)
		}
		assert.True(t, utf8.ValidString(r.Text), "%q", r.Text)
		assert.Equal(t, "kept", content(t, outside, "kept"))
		assert.Equal(t, "kept by git", content(t, dir, ".git/config"))
		assert.True(t, !strings.Contains(r.Text, "kept by git") || bytes.Contains(raw, []byte("kept by git")))
		entries, err := os.ReadDir(outside)
		require.NoError(t, err)
		assert.Len(t, entries, 1)
		assertNoDrafts(t, dir)
	})
}

func FuzzSplit(f *testing.F) {
	for _, line := range []string{`a 'b c' "d\"e" f\ g`, `'`, `a;b`, `a "b$c"`, "\\", "''", "a\\\nb"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := toolbox.Split(line)
		if err != nil {
			return
		}
		quoted := make([]string, len(words))
		for i, word := range words {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		again, err := toolbox.Split(strings.Join(quoted, " "))
		require.NoError(t, err)
		assert.Equal(t, words, again)
	})
}
