package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

var (
	commandLine = regexp.MustCompile(`(?m)^  ([a-z]+)  +\S`)
	flagLine    = regexp.MustCompile(`(?m)^  (-[a-z-]+)(?:=[a-z]+| [A-Z]+(?:=[A-Z]+)?)? +(.*)$`)
	callLine    = regexp.MustCompile(`^(?:exec|status (\d+)) errgen ([a-z]+)(?: (.*))?$`)
	formWord    = regexp.MustCompile(`\b(?:text|json|sarif|github)\b`)
)

// TestScriptsCoverTheHelp wants a script for every command, flag and form that the help of errgen
// names, for every exit status of a command, and for "-" where a command reads a file.
func TestScriptsCoverTheHelp(t *testing.T) {
	t.Parallel()
	calls := callsOfScripts(t)
	commands := commandLine.FindAllStringSubmatch(help(t), -1)
	require.Greater(t, len(commands), 10)
	for _, c := range commands {
		if c[1] == "help" {
			continue
		}
		page, called := help(t, c[1]), calls[c[1]]
		covered := func(what string) {
			pattern := `(?m)(^| )` + strings.ReplaceAll(regexp.QuoteMeta(what), " ", "[ =]") + `(=| |$)`
			assert.Regexp(t, pattern, called, "no script calls errgen %s with %q", c[1], what)
		}
		for _, f := range flagLine.FindAllStringSubmatch(page, -1) {
			covered(f[1])
			if f[1] == "-format" {
				for _, form := range formWord.FindAllString(f[2], -1) {
					covered("-format " + form)
				}
			}
		}
		usage, _, _ := strings.Cut(page, "\n")
		if strings.Contains(usage, "taxonomy.yaml") || strings.Contains(page, "FILE") {
			covered("-")
		}
		covered("status 0")
		covered("status 2")
		if c[1] != "init" && c[1] != "version" { // these have no findings
			covered("status 1")
		}
		covered("help " + c[1])
	}
}

func help(t *testing.T, of ...string) string {
	t.Helper()
	out, err := exec.Command("errgen", append([]string{"help"}, of...)...).Output()
	require.NoError(t, err)
	return string(out)
}

// callsOfScripts returns for each command the arguments of all its calls, one a line, and the exit
// statuses that are wanted of them.
func callsOfScripts(t *testing.T) map[string]string {
	t.Helper()
	scripts, err := filepath.Glob(filepath.Join(root, "testdata", "script", "*.txtar"))
	require.NoError(t, err)
	calls := map[string]string{}
	for _, path := range scripts {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range strings.Lines(string(b)) {
			if strings.HasPrefix(line, "-- ") {
				break
			}
			m := callLine.FindStringSubmatch(strings.TrimSpace(line))
			switch {
			case m == nil:
			case m[2] == "help":
				calls[m[3]] += "help " + m[3] + "\n"
			default:
				calls[m[2]] += "status " + cmp.Or(m[1], "0") + "\n" + m[3] + "\n"
			}
		}
	}
	return calls
}

// TestEveryWordIsCompiled wants every key and every word of the language in a taxonomy whose
// package is compiled and run: one that is committed, or one that the tests of the emitter
// generate.
func TestEveryWordIsCompiled(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, pattern := range []string{"taxonomy.yaml", "examples/*/taxonomy.yaml", "internal/emit/testdata/*/*.yaml",
		"internal/emit/testdata/golden/*/taxonomy.yaml", "examples/*/taxonomy.messages.*.yaml"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, paths)
		for _, path := range paths {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			var doc yaml.Node
			require.NoError(t, yaml.Unmarshal(b, &doc))
			eachScalar(&doc, func(text string) { used[text] = true })
		}
	}
	out, err := exec.Command("errgen", "schema").Output()
	require.NoError(t, err)
	var schema any
	require.NoError(t, yaml.Unmarshal(out, &schema)) // JSON is YAML
	words := map[string]bool{}
	eachWord(schema, func(word string) { words[word] = true })
	require.Greater(t, len(words), 100)
	used["include"] = true // testdata/script/include.txtar compiles it
	for word := range words {
		assert.True(t, used[word], "%q is in no taxonomy that is compiled", word)
	}
}

func eachScalar(n *yaml.Node, visit func(text string)) {
	if n.Kind == yaml.ScalarNode {
		visit(n.Value)
	}
	for _, child := range n.Content {
		eachScalar(child, visit)
	}
}

// eachWord visits the names of properties and the texts of enums of a JSON schema.
func eachWord(schema any, visit func(word string)) {
	switch schema := schema.(type) {
	case []any:
		for _, item := range schema {
			eachWord(item, visit)
		}
	case map[string]any:
		if names, ok := schema["properties"].(map[string]any); ok {
			for name := range names {
				visit(name)
			}
		}
		if texts, ok := schema["enum"].([]any); ok {
			for _, text := range texts {
				if text, ok := text.(string); ok {
					visit(text)
				}
			}
		}
		for _, value := range schema {
			eachWord(value, visit)
		}
	}
}
