package main

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/config"
)

// fenced returns the block of README.md in a language.
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

// keysOf adds the keys of settings and of what they contain.
func keysOf(t reflect.Type, into map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		keysOf(t.Elem(), into)
	case reflect.Struct:
		if t.PkgPath() != reflect.TypeFor[settings]().PkgPath() && t != reflect.TypeFor[executor.Limits]() {
			return
		}
		for field := range t.Fields() {
			key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
			into[cmp.Or(key, strings.ToLower(field.Name))] = true
			keysOf(field.Type, into)
		}
	}
}

func TestReadmeHasEverySetting(t *testing.T) {
	keys := map[string]bool{}
	keysOf(reflect.TypeFor[settings](), keys)
	require.Contains(t, keys, "file_task")
	example := fenced(t, "yaml")
	for key := range keys {
		assert.Regexp(t, `(^|[\s{])`+regexp.QuoteMeta(key)+`:`, example)
	}
}

// A run can begin with the configuration and the task of README.md.
func TestReadme(t *testing.T) {
	a := begin(t, "")
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "sk-ant-made-up", "OPENAI_API_KEY": "sk-made-up", "DOCS_TOKEN": "made-up",
		"HOOK_URL": "http://127.0.0.1:1/hook", "HOOK_TOKEN": "Bearer made-up",
		"PATH": filepath.Dir(a.cli.Path) + string(os.PathListSeparator) + os.Getenv("PATH"),
	} {
		t.Setenv(name, value)
	}
	npm := filepath.Join(filepath.Dir(a.cli.Path), "npm") // of the key setup; no project is here
	require.NoError(t, os.WriteFile(npm, []byte("#!/bin/sh\n"), 0o755))
	a.write(filepath.Join(a.dir, "aidf.yml"), fenced(t, "yaml"))
	a.write(filepath.Join(a.dir, "greeting.md"), fenced(t, "markdown"))
	var s settings
	warnings, err := config.Load(filepath.Join(a.dir, "aidf.yml"), &s)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	got := a.do("-dry-run -json")
	require.Equal(t, exitOK, got.code, got.hints)
	r := got.result(t)
	assert.Empty(t, r.Warnings)
	assert.Contains(t, r.Text, "greets the world in a whole sentence")
}

// Every flag is in README.md, and every flag in README.md is one.
func TestReadmeHasEveryFlag(t *testing.T) {
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	help := do(t, "-help").out
	flags := regexp.MustCompile(`(?m)^  -(\S+)`).FindAllStringSubmatch(help, -1)
	require.NotEmpty(t, flags)
	for _, flag := range flags {
		assert.Regexp(t, "[`\\s]-"+flag[1]+"\\b", string(b))
	}
}
