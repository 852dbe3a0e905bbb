//go:build unix

package recovery

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
)

// full is a tree on a full disk: there is room only when something was removed.
type full struct {
	brittle
	removed, restored int
}

func (f *full) Begin(context.Context, string) (Tree, error) { return f, nil }
func (f *full) Changes(context.Context) ([]executor.Change, error) {
	return []executor.Change{{Path: "big"}, {Path: "k.js"}}[min(2, f.removed+f.restored):], nil
}
func (f *full) Save(context.Context, []executor.Change) (string, error) {
	if f.removed == 0 {
		return "", errors.New("no space left on device")
	}
	return "refs/x", nil
}
func (f *full) Revert(context.Context, []executor.Change) error {
	if f.removed == 0 {
		f.removed++
		return errors.New("no space left on device")
	}
	f.restored++
	return nil
}

// What cannot be saved is put back all the same, and nobody is told that it is saved.
func TestFullDisk(t *testing.T) {
	tree := &full{}
	w := newWorld(t, Options{Tools: tree, LintFix: Fix{Commands: line("true"), Check: line("fails")}})
	err := w.ApplyLintFix(t.Context(), says("bad"))
	assert.EqualError(
		t, err, `Failed to apply lint fixes: it fails (what it changed was put back, and is saved as refs/x, but `+
			`for what could not be saved: "big")`)
	got := w.last(t)
	assert.Equal(t, "true", got.Data[DataPutBack])
	assert.Equal(t, "refs/x", got.Data[DataSaved])
	assert.Equal(t, `"big"`, got.Data[DataLost])
	assert.Equal(t, `"big" could not be saved before it was put back: no space left on device`, got.Data[DataWarning])
	assert.False(t, tree.kept)
}

// crowded is a working tree on a disk that has room for what is saved only when little lies in the
// tree.
type crowded struct {
	Workspace
	room int64
}

func (c crowded) Save(ctx context.Context, run string, n int, checked executor.Checked, changes []executor.Change) (
	string, error) {
	names, err := filepath.Glob(filepath.Join(c.Dir(), "*"))
	if err != nil {
		return "", err
	}
	total := int64(0)
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
	}
	if total > c.room {
		return "", errors.New("no space left on device")
	}
	return c.Workspace.Save(ctx, run, n, checked, changes)
}

// What can be saved is, also where not all of it can: the biggest of what was added makes room for
// the rest.
func TestSavesWhatItCan(t *testing.T) {
	const big = "head -c 5000 /dev/zero >fill; "
	for _, tt := range []struct {
		name, script string
		room         int64
		lost         string
		saved        []string // nil is nothing
	}{
		{"all", big, 10000, "", []string{"a.txt", "fill", "new", "src/b.txt"}},
		{"without the biggest", big, 1000, `"fill"`, []string{"a.txt", "new", "src/b.txt"}},
		{"without the bigger ones", big + "head -c 4000 /dev/zero >fill2; head -c 3000 /dev/zero >fill3; ", 1000,
			`"fill", "fill2", "fill3"`,
			[]string{"a.txt", "new", "src/b.txt"}},
		{"nothing", big, -1, `"a.txt", "fill", "new"`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRepo(t)
			tools, err := NewTools(ToolsConfig{Workspace: crowded{r.workspace(), tt.room}, Lock: true})
			require.NoError(t, err)
			w := newWorld(
				t, Options{Tools: tools,
					LintFix: Fix{Commands: line(tt.script + "echo edited >>a.txt; echo x >new"), Check: line("false")}})
			err = w.ApplyLintFix(t.Context(), says("bad"))
			require.Error(t, err)
			data := w.last(t).Data
			assert.Equal(t, []string{"true", tt.lost}, []string{data[DataPutBack], data[DataLost]})
			assert.Equal(t, tt.lost == "", data[DataWarning] == "", data[DataWarning])
			assert.Equal(t, []string{"a\n", "", ""}, []string{r.read("a.txt"), r.read("fill"), r.read("new")})
			if tt.saved == nil {
				assert.Empty(t, data[DataSaved])
				assert.ErrorContains(t, err, `(what it changed was put back, and could not be saved: `+tt.lost+`)`)
				return
			}
			assert.Equal(t, tt.saved, strings.Fields(r.git("ls-tree", "-r", "--name-only", data[DataSaved])))
			assert.Equal(t, "a\nedited", r.git("show", data[DataSaved]+":a.txt"))
			assert.Equal(t, tt.lost == "", !strings.Contains(err.Error(), "but for what could not be saved: "+tt.lost),
				err)
		})
	}
}
