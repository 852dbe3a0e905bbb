//go:build unix

package recovery

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
)

func TestConfiguration(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, c := range map[string]ToolsConfig{
		"nothing": {}, "no directory": {Dir: filepath.Join(dir, "none")}, "a file": {Dir: file},
		"outside of the workspace": {Dir: dir, Workspace: newRepo(t).workspace()},
	} {
		_, err := NewTools(c)
		assert.ErrorContains(t, err, "Dir is", name)
	}
	fix := func(commands []validate.Command) Options { return Options{LintFix: Fix{Commands: commands}} }
	npm := func(change func(*Installer)) Options {
		in := &Installer{Ecosystem: NPM, Command: []string{"npm", "install", "--", "{package}"}}
		change(in)
		return Options{Installer: in}
	}
	for want, o := range map[string]Options{
		`LintFix.Commands[0] is "", expected a program`:                  fix([]validate.Command{{}}),
		`expected no placeholder in a line`:                              fix(line("fix {file}")),
		`in the place of a program`:                                      fix(argv("{file}")),
		`expected placeholders that are arguments by themselves`:         fix(argv("fix", "--file={file}")),
		`expected no placeholder in the place of a script`:               fix(argv("sh", "-c", "{file}")),
		`LintFix.Commands is "", expected a command for what is checked`: {LintFix: Fix{Check: line("true")}},
		`BuildFix.Check[0] is "lint {file}", expected no placeholder`: {BuildFix: Fix{Commands: line("x"),
			Check: line("lint {file}")}},
		`TestFix.Check[0] is "lint '{files}'", expected no placeholder`: {TestFix: Fix{Commands: line("x"),
			Check: argv("lint", "{files}")}},
		`Installer.Ecosystem is "", expected npm, python or go`: npm(
			func(in *Installer) { in.Ecosystem = "" }),
		`Installer.Command is "", expected a program with its arguments`: npm(
			func(in *Installer) { in.Command = nil }),
		`expected one argument that is {package} by itself`: npm(
			func(in *Installer) { in.Command = []string{"npm", "install {package}"} }),
		`Installer.Command is "sh -c '{package}'", expected no placeholder`: npm(
			func(in *Installer) { in.Command = []string{"sh", "-c", "{package}"} }),
		`Installer.AllowAny is "true", expected no Allow and no Allowed`: npm(
			func(in *Installer) { in.AllowAny, in.Allow = true, []string{} }),
		`Installer.Allow[1] is "../x", expected a plain package name`: npm(
			func(in *Installer) { in.Allow = []string{"socket.io", "../x"} }),
		`Installer.Check[0] is "", expected a program`: npm(
			func(in *Installer) { in.Check = []validate.Command{{}} }),
	} {
		_, err := New(o)
		assert.ErrorContains(t, err, want)
		var ev *taxonomy.Evidence
		require.ErrorAs(t, err, &ev)
		assert.Equal(t, "load_config", ev.Op)
	}
}

// B-D12: files are given to commands where the host asks for that, and only such that are files of
// the tree.
func TestPlaceholders(t *testing.T) {
	r := newRepo(t)
	r.write("src/c.ts", "c\n")
	r.write("-rf", "x\n")
	r.write("src/-x/d.ts", "d\n")
	r.write("@args", "x\n")
	r.write("sp ace.ts", "x\n")
	require.NoError(t, os.Symlink("c.ts", filepath.Join(r.dir, "src/link.ts")))
	require.NoError(t, os.Symlink("src", filepath.Join(r.dir, "dir")))
	outside := filepath.Join(t.TempDir(), "o.ts")
	require.NoError(t, os.WriteFile(outside, nil, 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(r.dir, "out.ts")))
	tools := &recorder{dir: r.dir}
	w := newWorld(
		t, Options{Tools: tools,
			TypeFix: Fix{Commands: argv("fix", "--", "{file}", "then", "{files}"), Check: line("true")}})
	tests := []struct{ text, want string }{
		{"src/c.ts(12,5): error TS2322: no", "src/c.ts then src/c.ts"},
		{"src/c.ts(12:5): error TS2322: no", "src/c.ts then src/c.ts"},
		{"./src/b.txt:3:4: no\nsrc/c.ts:1: no\nsrc/c.ts:2: no", "src/b.txt then src/b.txt src/c.ts"},
		{r.dir + "/src/c.ts:1:1 no", "src/c.ts then src/c.ts"},
		{"  --> src/c.ts:1:1", "src/c.ts then src/c.ts"},
		{"gone.ts:1:1\nsrc/c.ts:1:1", "src/c.ts then src/c.ts"},
		{"-rf:1:1", ""}, {"./-rf:1:1", ""}, {"src/-x/d.ts:1:1", ""}, {"@args:1:1", ""}, {"sp ace.ts:1:1", ""},
		{"src/link.ts:1:1", ""}, {"dir/c.ts:1:1", ""}, {"out.ts:1:1", ""}, {outside + ":1:1", ""},
		{"src/../src/c.ts:1:1", ""}, {"../" + filepath.Base(r.dir) + "/a.txt:1:1", ""}, {".git/config:1:1", ""},
		{".GIT/config:1:1", ""}, {"src:1:1", ""},
		{"--config=src/c.ts:1:1", ""}, {"x;src/c.ts:1:1", ""}, {"file:src/c.ts:1:1", ""},
		{"$(src/c.ts:1:1)", "src/c.ts then src/c.ts"},
	}
	for _, tt := range tests {
		tools.ran = nil
		err := w.ApplyTypeFix(t.Context(), says(tt.text))
		if tt.want == "" {
			assert.ErrorContains(t, err, "Could not parse error location", tt.text)
			assert.Empty(t, tools.ran)
			continue
		}
		require.NoError(t, err, tt.text)
		assert.Equal(t, "fix -- "+tt.want, strings.Join(tools.ran[0].Args, " "), tt.text)
	}
	err := w.ApplyTypeFix(
		t.Context(), taxonomy.RecoveryRequest{Err: &taxonomy.Evidence{Files: []string{"../x", "a.txt", "a.txt"}}})
	require.NoError(t, err)
	assert.Equal(t, "a.txt", w.last(t).Data[DataFile])
}
