package toolbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/providers/toolbox"
)

func TestRead(t *testing.T) {
	dir, _ := tree(t, map[string]string{
		"a.txt": "one\ntwo\nthree\n", "empty": "", "picture": "GIF\x00\x01", "latin": "caf\xe9\n",
		"long": strings.Repeat("x", 300) + "\nshort\n",
	})
	tools := open(t, dir)
	tools.Shrink(100, 0, 0, 0, 0, 0)
	for _, c := range []struct {
		args    []any
		want    string
		isError bool
	}{
		{[]any{"path", "a.txt"}, "one\ntwo\nthree\n", false},
		{[]any{"path", "./x/../a.txt"}, "one\ntwo\nthree\n", false},
		{[]any{"path", filepath.Join(dir, "a.txt")}, "one\ntwo\nthree\n", false},
		{[]any{"path", "a.txt", "offset", 2}, "two\nthree\n", false},
		{[]any{"path", "a.txt", "offset", 2, "limit", 1}, "two\n\n[cut; continue with offset 3]", false},
		{[]any{"path", "a.txt", "offset", 9}, "a.txt has no line 9", true},
		{[]any{"path", "a.txt", "offset", -1}, "offset and limit must be positive", true},
		{[]any{"path", "empty"}, "", false},
		{[]any{"path", "latin"}, "caf\uFFFD\n", false},
		{[]any{"path", "long"}, strings.Repeat("x", 100) + "\n[cut; continue with offset 2]", false},
		{[]any{"path", "long", "offset", 2}, "short\n", false},
		{[]any{"path", "picture"}, "picture: not a text file", true},
		{[]any{"path", "none"}, "none: no such file or directory", true},
		{[]any{"path", "."}, ".: is a directory", true},
		{[]any{"path", "a.txt/b"}, "a.txt/b: not a directory", true},
		{[]any{}, "path is missing", true},
		{[]any{"path", "../outside/x"}, "../outside/x: outside of the working tree", true},
		{[]any{"path", "/etc/passwd"}, "/etc/passwd: outside of the working tree", true},
		{[]any{"path", "a\x00b"}, `"a\x00b": invalid argument`, true},
	} {
		got := use(t, tools, "read_file", c.args...)
		assert.Equal(t, toolbox.Result{Text: c.want, IsError: c.isError}, got, "read %v", c.args)
	}
}

func TestReadGoesOnWhereItWasCut(t *testing.T) {
	text := strings.Repeat("a line of a file\n", 1000)
	dir, _ := tree(t, map[string]string{"a": text})
	tools := open(t, dir)
	tools.Shrink(1000, 0, 0, 0, 0, 0)
	var whole strings.Builder
	for offset := 1; offset <= 1000; {
		got := use(t, tools, "read_file", "path", "a", "offset", offset).Text
		got, _, _ = strings.Cut(got, "\n[cut")
		whole.WriteString(got)
		offset += strings.Count(got, "\n")
	}
	assert.Equal(t, text, whole.String())
}

func TestWrite(t *testing.T) {
	dir, _ := tree(t, map[string]string{"old": "old", "run.sh": "#!/bin/sh\n", "locked": "x"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "run.sh"), 0o751))
	require.NoError(t, os.Chmod(filepath.Join(dir, "locked"), 0o444))
	require.NoError(t, os.Link(filepath.Join(dir, "old"), filepath.Join(dir, "same")))
	tools := open(t, dir)
	tools.Shrink(0, 100, 0, 0, 0, 0)

	assert.Equal(t, "wrote 3 bytes to new/deep/f", use(t, tools, "write_file", "path", "new/deep/f", "content", "abc").
		Text)
	assert.Equal(t, "abc", content(t, dir, "new/deep/f"))

	use(t, tools, "write_file", "path", "old", "content", "new")
	assert.Equal(t, "new", content(t, dir, "old"))
	assert.Equal(t, "old", content(t, dir, "same"), "another name of the file is another file now")

	use(t, tools, "write_file", "path", "run.sh", "content", "")
	info, err := os.Stat(filepath.Join(dir, "run.sh"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o751), info.Mode())

	for _, c := range []struct {
		args []any
		want string
	}{
		{[]any{"path", "a"}, "content is missing"},
		{[]any{"content", "a"}, "path is missing"},
		{[]any{"path", "new", "content", ""}, "new: is a directory"},
		{[]any{"path", ".", "content", ""}, ".: is a directory"},
		{[]any{"path", "locked", "content", ""}, "locked: is read-only"},
		{[]any{"path", "old/x", "content", ""}, "old/x: not a directory"},
		{[]any{"path", "big", "content", strings.Repeat("x", 101)},
			"big: the file is too large"},
	} {
		assert.Equal(t, toolbox.Result{Text: c.want, IsError: true}, use(t, tools, "write_file", c.args...), "write %v",
			c.args)
	}
	assertNoDrafts(t, dir)
}

func TestWriteHostileNames(t *testing.T) {
	dir, _ := tree(t, nil)
	tools := open(t, dir)
	names := []string{"-rf", "a\nb", `q"uo'te`, "$(touch x)", "ünïcode", " space ", "a;b", "*", "[x]", "\\back",
		".gitignore", "git", ".git2"}
	for _, name := range names {
		got := use(t, tools, "write_file", "path", name, "content", name)
		assert.False(t, got.IsError, "%q: %s", name, got.Text)
		assert.Equal(t, name, content(t, dir, name))
	}
	assert.Contains(t, use(t, tools, "list_files").Text, `"a\nb"`, "a name does not break a line")
	for _, name := range names {
		assert.False(t, use(t, tools, "delete_file", "path", name).IsError)
	}
	assert.Equal(t, "there are no files", use(t, tools, "list_files").Text)
}

func TestEdit(t *testing.T) {
	dir, _ := tree(t, map[string]string{"a": "one two two\n", "big": strings.Repeat("x", 101)})
	tools := open(t, dir)
	tools.Shrink(0, 100, 0, 0, 0, 0)
	for _, c := range []struct {
		args    []any
		want    string
		isError bool
		after   string
	}{
		{[]any{"path", "a", "old", "two", "new", "2"},
			"a: contains the old text 2 times; give more of its context, or set all", true, "one two two\n"},
		{[]any{"path", "a", "old", "three", "new", "3"}, "a: does not contain the old text", true, "one two two\n"},
		{[]any{"path", "a", "old", "", "new", "3"}, "old must not be empty", true,
			"one two two\n"},
		{[]any{"path", "a", "old", "one"}, "new is missing", true,
			"one two two\n"},
		{[]any{"path", "a", "old", "two", "new", strings.Repeat("x", 60), "all", true},
			"a: the file is too large", true, "one two two\n"},
		{[]any{"path", "none", "old", "one", "new", "1"}, "none: no such file or directory", true, "one two two\n"},
		{[]any{"path", "big", "old", "x", "new", "y", "all", true}, "big: the file is too large", true,
			"one two two\n"},
		{[]any{"path", "a", "old", "one", "new", "$1"}, "replaced 1 in a", false, "$1 two two\n"},
		{[]any{"path", "a", "old", "two", "new", "2", "all", true}, "replaced 2 in a", false, "$1 2 2\n"},
		{[]any{"path", "a", "old", "$1 2 2\n", "new", ""}, "replaced 1 in a", false, ""},
	} {
		got := use(t, tools, "edit_file", c.args...)
		assert.Equal(t, toolbox.Result{Text: c.want, IsError: c.isError}, got, "edit %v", c.args)
		assert.Equal(t, c.after, content(t, dir, "a"))
	}
}

func TestDelete(t *testing.T) {
	dir, outside := tree(t, map[string]string{"a": "", "d/b": ""})
	require.NoError(t, os.WriteFile(filepath.Join(outside, "kept"), nil, 0o644))
	tools := open(t, dir)
	assert.Equal(t, "deleted a", use(t, tools, "delete_file", "path", "a").Text)
	assert.NoFileExists(t, filepath.Join(dir, "a"))
	assert.Equal(t, toolbox.Result{Text: "a: no such file or directory", IsError: true},
		use(t, tools, "delete_file", "path", "a"))
	assert.Equal(t, toolbox.Result{Text: "d: is a directory", IsError: true}, use(t, tools, "delete_file", "path", "d"))
}

func TestList(t *testing.T) {
	dir, _ := tree(
		t, map[string]string{"a.go": "", "b/c.go": "", "b/d.txt": "", "b/e/f.go": "", ".git/config": "",
			"sub/.git": ""})
	require.NoError(t, os.Symlink("../outside", filepath.Join(dir, "link")))
	tools := open(t, dir)
	for _, c := range []struct {
		args []any
		want string
	}{
		{nil, "a.go\nb/c.go\nb/d.txt\nb/e/f.go\nlink (symbolic link)"},
		{[]any{"path", "b"}, "b/c.go\nb/d.txt\nb/e/f.go"},
		{[]any{"path", "b/c.go"}, "b/c.go"},
		{[]any{"pattern", "*.go"}, "a.go\nb/c.go\nb/e/f.go"},
		{[]any{"pattern", "b/*.go"}, "b/c.go"},
		{[]any{"pattern", "b/**/*.go"}, "b/c.go\nb/e/f.go"},
		{[]any{"pattern", "{a,c}.go"}, "a.go\nb/c.go"},
		{[]any{"pattern", "none"}, "there are no files"},
	} {
		assert.Equal(t, toolbox.Result{Text: c.want}, use(t, tools, "list_files", c.args...), "list %v", c.args)
	}
	for _, c := range []struct {
		args []any
		want string
	}{
		{[]any{"pattern", "["}, `pattern "[": invalid`},
		{[]any{"pattern", strings.Repeat("**/", 9)}, `pattern "**/**/**/**/**/**/**/**/**/": too complex`},
		{[]any{"path", "none"}, "none: no such file or directory"},
		{[]any{"path", "../outside"}, "../outside: outside of the working tree"},
		{[]any{"path", "link"}, "link: outside of the working tree"},
		{[]any{"path", ".git"}, ".git: git's own files cannot be accessed"},
		{[]any{"path", "sub/.git"}, "sub/.git: git's own files cannot be accessed"},
	} {
		assert.Equal(t, toolbox.Result{Text: c.want, IsError: true}, use(t, tools, "list_files", c.args...), "list %v",
			c.args)
	}
}

func TestListIsBounded(t *testing.T) {
	dir, _ := tree(t, map[string]string{"a/1": "", "a/2": "", "a/3": "", "b/1": ""})
	tools := open(t, dir)
	tools.Shrink(0, 0, 0, 2, 0, 0)
	assert.Equal(t, "a/1\na/2\n[cut after 2; name a directory or a pattern]", use(t, tools, "list_files").Text)
	tools = open(t, dir)
	tools.Shrink(0, 0, 0, 0, 2, 0)
	assert.Contains(t, use(t, tools, "list_files", "pattern", "none").Text, "[cut after 0;")
}

func TestSearch(t *testing.T) {
	dir, _ := tree(t, map[string]string{
		"a.go": "package a\n\nfunc Add() {}\r\n", "b/b.go": "package b // Add\n", "pic": "Add\x00",
		"long": strings.Repeat("y", 70<<10) + "\nAdd at last", ".git/config": "Add",
	})
	tools := open(t, dir)
	for _, c := range []struct {
		args    []any
		want    string
		isError bool
	}{
		{[]any{"regexp", `func \w+`}, "a.go:3: func Add() {}", false},
		{[]any{"regexp", `Add`}, "a.go:3: func Add() {}\nb/b.go:1: package b // Add\nlong:2: Add at last", false},
		{[]any{"regexp", `^Add`, "path", "long"}, "long:2: Add at last", false},
		{[]any{"regexp", `Add`, "pattern", "b/**"}, "b/b.go:1: package b // Add", false},
		{[]any{"regexp", `none`}, "nothing matches", false},
		{[]any{"regexp", `(`}, "error parsing regexp: missing closing ): `(`", true},
		{[]any{}, "regexp is missing", true},
		{[]any{"regexp", ""}, "regexp must have from 1 to 1000 bytes", true},
		{[]any{"regexp", "a", "path", "../outside"}, "../outside: outside of the working tree", true},
		{[]any{"regexp", "Add", "path", ".git"}, ".git: git's own files cannot be accessed", true},
		{[]any{"regexp", "Add", "path", ".git/config"}, ".git/config: git's own files cannot be accessed", true},
		{[]any{"regexp", "Add", "pattern", "**/config"}, "nothing matches", false},
	} {
		assert.Equal(t, toolbox.Result{Text: c.want, IsError: c.isError}, use(t, tools, "search_files", c.args...),
			"search %v", c.args)
	}
}

func TestSearchIsBounded(t *testing.T) {
	dir, _ := tree(t, map[string]string{"a": strings.Repeat("x\n", 100), "b": strings.Repeat("z\n", 100_000)})
	tools := open(t, dir)
	tools.Shrink(0, 0, 0, 2, 0, 10_000)
	assert.Equal(t, "a:1: x\na:2: x\n[cut after 2; name a directory or a pattern]", use(t, tools, "search_files", "regexp", "x").Text)
	assert.Equal(t, "[cut after 0; name a directory or a pattern]", use(t, tools, "search_files", "regexp", "none").Text)
}

func assertNoDrafts(t *testing.T, dir string) {
	t.Helper()
	drafts, err := filepath.Glob(filepath.Join(dir, ".errgen-*"))
	require.NoError(t, err)
	assert.Empty(t, drafts)
}
