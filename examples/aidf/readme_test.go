package main

import (
	"os"
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

// fenced returns the one block of README.md that is of a language.
func fenced(t *testing.T, language string) string {
	t.Helper()
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(b), "\n```"+language+"\n")
	require.True(t, found, language)
	block, _, found := strings.Cut(after, "\n```\n")
	require.True(t, found, language)
	return block + "\n"
}

// keysOf returns the keys of settings and of what is in them.
func keysOf(t reflect.Type, into map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
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
	require.Contains(t, keys, "keep_going")
	example := fenced(t, "yaml")
	for key := range keys {
		assert.Regexp(t, `(^|[\s{])`+regexp.QuoteMeta(key)+`:`, example)
	}
}

// A run can begin with the configuration and the task of README.md as they are.
func TestReadme(t *testing.T) {
	a := begun(t, "")
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "sk-ant-of-nobody", "OPENAI_API_KEY": "sk-of-nobody",
		"HOOK_URL": "http://127.0.0.1:1/hook", "HOOK_TOKEN": "Bearer of-nobody",
		"PATH": filepath.Dir(a.cli.Path) + string(os.PathListSeparator) + os.Getenv("PATH"),
	} {
		t.Setenv(name, value)
	}
	require.NoError(t, os.WriteFile(a.options.configFile, []byte(fenced(t, "yaml")), 0o600))
	require.NoError(t, os.WriteFile(a.options.taskFile, []byte(fenced(t, "markdown")), 0o600))

	var s settings
	warnings, err := config.Load(a.options.configFile, &s)
	require.NoError(t, err)
	assert.Empty(t, warnings)

	got := a.do("-dry-run")
	require.Equal(t, exitOK, got.code, got.hints)
	r := got.result(t)
	assert.Empty(t, r.Warnings)
	assert.Contains(t, r.Text, "greets the world in a whole sentence")
	assert.NotContains(t, got.hints, "warning")
}

// Every flag is in README.md, and every flag in README.md is one.
func TestReadmeHasEveryFlag(t *testing.T) {
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	help := do("-help").out
	flags := regexp.MustCompile(`(?m)^  -(\S+)`).FindAllStringSubmatch(help, -1)
	require.NotEmpty(t, flags)
	for _, flag := range flags {
		assert.Regexp(t, "[`\\s]-"+flag[1]+"\\b", string(b))
	}
}
