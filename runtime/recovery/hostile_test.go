//go:build unix

package recovery

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
)

// recorder are tools that write down what they are to run, and a tree in which nothing changes.
type recorder struct {
	dir string
	ran []validate.Command
}

func (r *recorder) Dir() string                                 { return r.dir }
func (r *recorder) Begin(context.Context, string) (Tree, error) { return still{}, nil }
func (r *recorder) Run(_ context.Context, _ string, c validate.Command) validate.Result {
	r.ran = append(r.ran, c)
	return validate.Result{}
}

type still struct{}

func (still) Changes(context.Context) ([]executor.Change, error)      { return nil, nil }
func (still) Save(context.Context, []executor.Change) (string, error) { return "", nil }
func (still) Revert(context.Context, []executor.Change) error         { return nil }
func (still) Before() string                                          { return "" }
func (still) Release(context.Context, bool) error                     { return nil }

const evil = "e-v-i-l" // is in each of the texts, and a plain name by itself

// hostile are names and texts that must not get anywhere.
var hostile = []string{
	"--registry=http://" + evil, "-rf", "-" + evil, "--" + evil, evil + ";rm -rf /", evil + " && id", evil + "|sh",
	evil + " --global",
	"../" + evil, "./" + evil, "/" + evil, "~/" + evil, `..\` + evil, "file:" + evil, "file:///" + evil,
	"https://x.test/" + evil + ".tgz",
	"git+ssh://x.test/" + evil, evil + "@npm:other", evil + "@1.0.0", "npm:" + evil, evil + "=1.0", evil + ".tgz",
	evil + "/sub", "@scope/../../" + evil,
	"@scope/" + evil + "/x", "@/" + evil, "@scope", "@../" + evil, "l\u043edash" + evil, "\u202e" + evil,
	evil + "\u200b", "\uff45" + evil,
	evil + "\x00", evil + "\n--global", evil + "\r\n", "$(" + evil + ")", "`" + evil + "`", "${" + evil + "}",
	"%" + evil + "%", evil + "\x1b[31m",
	evil + strings.Repeat("a", 300), strings.Repeat(evil+" ", 10<<20/8), "", " ", ".", "..", "@", evil + "'",
	evil + "\"; x", "{package}", "{file}", "*", evil + "?",
	"_" + evil, evil + "-", "E-v-i-l", evil + "\t",
}

// plainThere are those that say a plain name where they stand: the rest of them is behind a quote
// or the end of a line.
var plainThere = map[Ecosystem][]string{NPM: {evil + "'"}, Python: {"E-v-i-l", evil + "\n--global", evil + "\r\n"}}

// failureOf says a hostile text in every place in which a failure can say something.
func failureOf(text string) taxonomy.RecoveryRequest {
	said := "Cannot find module '" + text + "'\nNo module named " + text + "\nno required module provides package " +
		text + "; to add it:\n" +
		text + "(1,2): error\n" + text + ":1:2: error\nretry after 1\n" + text
	ev := &taxonomy.Evidence{
		Source: text, Op: text, Type: text, Text: said, Output: said, Files: []string{text}, Credential: text,
		Attributes: map[string]string{"command": text, "env": text, text: text},
	}
	return taxonomy.RecoveryRequest{Err: &coded{text: said, cause: ev,
		hints: taxonomy.Hints{Files: []string{text}, Output: said, Credential: text}}, Attempt: 1,
		Reaction: taxonomy.Reaction{Name: text, Strategy: text, LogMessage: text}}
}

// The proof: whatever a failure says, no strategy runs anything but the host's own command, as it
// is.
func TestHostileTexts(t *testing.T) {
	dir := t.TempDir()
	for _, ecosystem := range []Ecosystem{NPM, Python, Go} {
		tools := &recorder{dir: dir}
		fixed := func(name string) Fix { return Fix{Commands: argv(name, "--fix", "."), Check: argv(name)} }
		placed := Fix{Commands: argv("fix", "--", "{file}", "{files}"), Check: argv("check")}
		in := &Installer{Ecosystem: ecosystem, Command: []string{"install", "--", "{package}"}, AllowAny: true}
		all := newWorld(
			t, Options{Tools: tools, Clock: newManual(), LintFix: fixed("lint"), TypeFix: placed,
				TestFix: fixed("test"), BuildFix: fixed("build"), Installer: in})
		for _, text := range hostile {
			if slices.Contains(plainThere[ecosystem], text) {
				continue
			}
			for name, strategy := range all.Strategies() {
				tools.ran = nil
				err := strategy(t.Context(), failureOf(text))
				tool, fixes := map[string]string{NameApplyLintFix: "lint", NameFixTest: "test",
					NameFixBuild: "build"}[name]
				switch {
				case fixes:
					require.NoError(t, err)
					assert.Equal(t, append(argv(tool, "--fix", "."), argv(tool)...), tools.ran, "%s of %.40q", name,
						text)
				default:
					waits := name == NameWaitForRateLimit || name == NameRetryWithBackoff
					assert.Equal(t, waits, err == nil, "%s of %.40q in %s: %v", name, text, ecosystem, err)
					assert.Empty(t, tools.ran, "%s of %.40q in %s", name, text, ecosystem)
				}
				record, err := json.Marshal(all.last(t))
				require.NoError(t, err)
				assert.Less(t, len(record), 64<<10, "what is kept is bounded")
				assert.NotContains(t, string(record), `\u001b`)
			}
			all.records = nil
		}
	}
}

// The same with real processes: arguments, environment and standard input of each are the host's.
func TestHostileTextsAndRealProcesses(t *testing.T) {
	r := newRepo(t)
	self, err := os.Executable()
	require.NoError(t, err)
	log := filepath.Join(t.TempDir(), "started")
	tools := r.tools(ToolsConfig{Env: []string{recordTo + "=" + log, "GORACE=atexit_sleep_ms=0"}})
	fix := func(name string) Fix { return Fix{Commands: argv(self, name, "--", "."), Check: argv(self, "check")} }
	placed := Fix{Commands: argv(self, "types", "--", "{file}"), Check: argv(self, "check")}
	in := &Installer{Ecosystem: NPM, Command: []string{self, "install", "--", "{package}"}, AllowAny: true}
	w := newWorld(
		t, Options{Tools: tools, Clock: newManual(), LintFix: fix("lint"), TypeFix: placed, TestFix: fix("test"),
			BuildFix: fix("build"), Installer: in})
	first := failureOf(strings.Join(hostile[:30], "\n"))
	second := failureOf(hostile[0] + "\na.txt:1:2: " + strings.Join(hostile[30:], "\n"))
	for _, failure := range []taxonomy.RecoveryRequest{first, second} {
		for _, strategy := range w.Strategies() {
			_ = strategy(t.Context(), failure)
		}
	}
	b, err := os.ReadFile(log)
	require.NoError(t, err)
	seen := map[string]int{}
	for text := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n") {
		assert.NotContains(t, text, evil)
		assert.NotContains(t, text, "registry")
		var s started
		require.NoError(t, json.Unmarshal([]byte(text), &s))
		assert.Empty(t, s.Stdin)
		assert.Equal(t, r.dir, s.Dir)
		seen[strings.Join(s.Args, " ")]++
		for _, variable := range s.Env {
			name, _, _ := strings.Cut(variable, "=")
			assert.Contains(t, append(namesOf(os.Environ()), recordTo, "GORACE", "ERRGEN_PROCESS", "PWD"), name)
		}
	}
	assert.Equal(t, map[string]int{"lint -- .": 2, "test -- .": 2, "build -- .": 2, "types -- a.txt": 1, "check": 7},
		seen)
}

func namesOf(env []string) []string {
	names := make([]string, len(env))
	for i, variable := range env {
		names[i], _, _ = strings.Cut(variable, "=")
	}
	return names
}
