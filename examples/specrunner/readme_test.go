//go:build unix

package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var update = flag.Bool("update", false, "write the output of the demo into README.md")

const consoles = "(?s)\n```console\n(.*?)\n```\n"

// varying are the parts of the output that differ each time.
var varying = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "2026-01-02 15:04:05"},
	{regexp.MustCompile(`until \d\d:\d\d:\d\d`), "until 15:04:05"},
	{regexp.MustCompile(`(took|after) \d+\.\ds`), "${1} 0.1s"},
	{regexp.MustCompile(`waiting \d+\.\ds`), "waiting 0.2s"},
	{regexp.MustCompile(`(iterations?), \d+s`), "${1}"},
}

// README.md shows what the demo prints.
func TestReadmeShowsTheDemo(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the demo's agent is a shell script")
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "demo"), os.DirFS("demo")))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "demo", "work")))
	block := regexp.MustCompile(consoles)
	shows := block.ReplaceAllFunc(readme, func(b []byte) []byte {
		return []byte("\n```console\n" + played(t, dir, string(block.FindSubmatch(b)[1])) + "\n```\n")
	})
	if *update {
		require.NoError(t, os.WriteFile("README.md", shows, 0o644))
		return
	}
	assert.Equal(t, string(readme), string(shows))
}

// played returns the commands of a transcript with what they print now.
func played(t *testing.T, dir, transcript string) string {
	var out []string
	for line := range strings.Lines(transcript) {
		line = strings.TrimRight(line, "\n")
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		out = append(out, line)
		if args, ok := strings.CutPrefix(command, "go run . -dir demo"); ok {
			got := do(append([]string{"-dir=" + filepath.Join(dir, "demo")}, strings.Fields(args)...)...)
			assert.Empty(t, got.hints)
			for _, v := range varying {
				got.out = v.what.ReplaceAllString(got.out, v.with)
			}
			out = append(out, strings.TrimRight(got.out, "\n"))
			if got.code != 0 {
				out = append(out, "exit status "+string(rune('0'+got.code)))
			}
			continue
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir = dir
		b, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", b)
	}
	return strings.Join(out, "\n")
}

// fencedIn returns the first block of README.md that is of a language.
func fencedIn(t *testing.T, language string) string {
	t.Helper()
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, after, found := bytes.Cut(b, []byte("\n```"+language+"\n"))
	require.True(t, found, language)
	block, _, found := bytes.Cut(after, []byte("\n```\n"))
	require.True(t, found, language)
	return string(block) + "\n"
}

// keysOf adds the keys of settings, nested ones included.
func keysOf(t reflect.Type, into map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		keysOf(t.Elem(), into)
	case reflect.Struct:
		for field := range t.Fields() {
			key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
			if key == "" {
				continue
			}
			into[key] = true
			if field.Type != reflect.TypeFor[taxonomy.Overrides]() {
				keysOf(field.Type, into)
			}
		}
	}
}

func TestReadmeHasEverySetting(t *testing.T) {
	keys := map[string]bool{}
	keysOf(reflect.TypeFor[settings](), keys)
	require.Contains(t, keys, "post_done")
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for key := range keys {
		assert.Regexp(t, `(?m)(^|[\s{])`+regexp.QuoteMeta(key)+`:`, string(b))
	}
}

// The configuration and the tasks of README.md are valid.
func TestReadmeIsUnderstood(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "")
	dir := files(t, map[string]string{
		"spec/tasks.md":  fencedIn(t, "markdown"),
		"specrunner.yml": fencedIn(t, "yaml"),
	})
	var s settings
	warnings, err := config.Load(filepath.Join(dir, "specrunner.yml"), &s)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	got := do("-dir="+dir, "-status")
	assert.Equal(t, exitDone, got.code, got.hints)
	assert.Regexp(t, `(?m)^TASK-002 +completed`, got.out)
}

// Every flag is in README.md.
func TestReadmeHasEveryFlag(t *testing.T) {
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	flags := regexp.MustCompile(`(?m)^  -(\S+)`).FindAllStringSubmatch(do("-help").out, -1)
	require.NotEmpty(t, flags)
	for _, f := range flags {
		assert.Regexp(t, "[`\\s]-"+f[1]+"\\b", string(b))
	}
}
