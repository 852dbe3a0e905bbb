//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var consoles = regexp.MustCompile("(?s)\n```console\n(.*?)\n```\n")

// varying are the parts of the output that differ between runs.
var varying = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`took \d+(\.\d+)?m?s`), "took 4ms"},
	{regexp.MustCompile(`Waited 10\d\dms`), "Waited 1000ms"},
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "0b7c1d6e-2f5a-4c3b-9d8e-7a6f5e4d3c2b"},
}

// TestReadmeShows: the output in README.md is the program's.
func TestReadmeShows(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "demo"), os.DirFS("demo")))
	t.Chdir(dir)
	shows := consoles.ReplaceAllFunc(readme, func(b []byte) []byte {
		return []byte("\n```console\n" + played(t, string(consoles.FindSubmatch(b)[1])) + "\n```\n")
	})
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join(origin, "README.md"), shows, 0o644))
		return
	}
	assert.Equal(t, string(readme), string(shows))
}

// origin is where the tests were begun.
var origin, _ = os.Getwd()

// played returns the commands of a transcript with what they print now.
func played(t *testing.T, transcript string) string {
	var all []string
	for line := range strings.Lines(transcript) {
		line = strings.TrimRight(line, "\n")
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		all = append(all, line)
		said, args, piped := strings.Cut(command, " | ")
		if !piped {
			said, args = "", command
		}
		args, own := strings.CutPrefix(args, "go run . ")
		if !own {
			out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput()
			require.NoError(t, err, "%s", out)
			continue
		}
		var out, hints bytes.Buffer
		in := strings.NewReader(strings.Trim(strings.TrimPrefix(said, "echo "), "'") + "\n")
		code := run(t.Context(), strings.Fields(args), in, &out, &hints)
		assert.Empty(t, hints.String())
		shown := strings.TrimRight(out.String(), "\n")
		for _, v := range varying {
			shown = v.what.ReplaceAllString(shown, v.with)
		}
		all = append(all, shown)
		if code != exitDone {
			all = append(all, "exit status "+string(rune('0'+code)))
		}
	}
	return strings.Join(all, "\n")
}

// TestReadmeHasEveryKey: the skill of README.md has every key, and can be read.
func TestReadmeHasEveryKey(t *testing.T) {
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(b), "\n```yaml\n")
	require.True(t, found)
	text, _, found := strings.Cut(after, "\n```\n")
	require.True(t, found)
	path := written(t, text+"\n")
	require.NoError(t, os.Mkdir(filepath.Join(filepath.Dir(path), "site"), 0o700))
	require.NoError(t, exec.CommandContext(t.Context(), "git", "init", "-q", filepath.Join(filepath.Dir(path), "site")).
		Run())
	s, err := loadSkill(path)
	require.NoError(t, err)
	_, err = s.table("")
	require.NoError(t, err)
	_, err = newSession(&bytes.Buffer{}, nil).recoverer(t.Context(), s, &shows{})
	require.NoError(t, err)
	everySet(t, reflect.ValueOf(*s), "skill")
}

// everySet asserts that every key of a skill has a value.
func everySet(t *testing.T, v reflect.Value, at string) {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		assert.False(t, v.IsZero(), "README.md has no value for %s", at)
		return
	}
	for i := range v.NumField() {
		if key, ok := v.Type().Field(i).Tag.Lookup("yaml"); ok {
			everySet(t, v.Field(i), at+"."+key)
		}
	}
}

func TestReadmeHasEveryFlag(t *testing.T) {
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	flags := regexp.MustCompile(`(?m)^  -(\S+)`).FindAllStringSubmatch(do(t.Context(), "-h").out, -1)
	require.NotEmpty(t, flags)
	for _, f := range flags {
		assert.Contains(t, string(b), "| `-"+f[1])
	}
}
