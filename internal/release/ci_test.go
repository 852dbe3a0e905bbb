package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// action is a composite action of GitHub.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []map[string]any
	}
}

func parseFile(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into), name)
}

// TestActions checks the actions as steps of a workflow, because actionlint reads only workflows.
func TestActions(t *testing.T) {
	if testing.Short() {
		t.Skip("builds actionlint")
	}
	names, err := filepath.Glob("../../.github/actions/*/action.yml")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		var a action
		parseFile(t, strings.TrimPrefix(name, "../../"), &a)
		inputs := make(map[string]any)
		for input := range a.Inputs {
			inputs[input] = map[string]any{"type": "string"}
		}
		workflow, err := yaml.Marshal(map[string]any{
			"on":   map[string]any{"workflow_call": map[string]any{"inputs": inputs}},
			"jobs": map[string]any{"action": map[string]any{"runs-on": "ubuntu-latest", "steps": a.Runs.Steps}},
		})
		require.NoError(t, err)
		// The variables of make, which has the versions of all tools.
		lint := exec.Command("make", "-s", "-C", "../..", "actionlint", "ACTIONS=-")
		lint.Stdin = bytes.NewReader(workflow)
		out, err := lint.CombinedOutput()
		assert.NoError(t, err, "%s: %s\n%s", name, out, workflow)
	}
}

// program returns a repository with a copy of the quick start's module, and a function that runs a
// script in it.
func program(t *testing.T) (dir string, sh func(script string, env ...string) (string, error)) {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples/quickstart"))))
	edit(t, filepath.Join(dir, "go.mod"), "=> ../..", "=> "+root)
	sh = func(script string, env ...string) (string, error) {
		cmd := exec.Command("bash", "-eo", "pipefail", "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
			"GIT_COMMITTER_EMAIL=a@example.com", "PRE_COMMIT_HOME="+t.TempDir())
		cmd.Env = append(cmd.Env, env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := sh("git init -q -b main . && git add . && git commit -qm first && git remote add origin . && " +
		"git checkout -qb topic")
	require.NoError(t, err, out)
	return dir, sh
}

func edit(t *testing.T, name, old, changed string) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(name, []byte(strings.ReplaceAll(string(text), old, changed)), 0o644))
}

// TestCI runs the action, the template of GitLab and the hooks of pre-commit on a module with and
// without faults.
func TestCI(t *testing.T) {
	var check action
	parseFile(t, ".github/actions/check/action.yml", &check)
	var gitlab struct {
		Variables map[string]string
		Check     struct{ Script []string } `yaml:"errgen check"`
		Breaking  struct{ Script []string } `yaml:"errgen breaking"`
	}
	parseFile(t, ".gitlab/errgen.yml", &gitlab)
	hooks, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	require.NoError(t, err)

	dir, sh := program(t)
	taxonomy := filepath.Join(dir, "taxonomy.yaml")
	action := func() (string, error) {
		return sh(check.Runs.Steps[0]["run"].(string), "PACKAGES=errs", "BASE=main",
			"UNUSED="+check.Inputs["unused"].Default, "VET=false")
	}
	template := func() (string, error) {
		return sh(strings.Join(append(gitlab.Check.Script, gitlab.Breaking.Script...), "\n"),
			"ERRGEN_UNUSED="+gitlab.Variables["ERRGEN_UNUSED"], "CI_MERGE_REQUEST_DIFF_BASE_SHA=main")
	}
	var preCommit func() (string, error)
	if _, err := exec.LookPath("pre-commit"); err == nil {
		repo := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(repo, ".pre-commit-hooks.yaml"), hooks, 0o644))
		out, err := sh("cd " + repo + "; git init -q .; git add .; git commit -qm hooks; git rev-parse HEAD")
		require.NoError(t, err, out)
		config := "repos: [{repo: " + repo + ", rev: " + strings.TrimSpace(out) +
			", hooks: [{id: errgen-lint}, {id: errgen-check}]}]\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".pre-commit-config.yaml"), []byte(config), 0o644))

		// The hooks of the documentation, in a repository with the module in services/shop.
		text, err := os.ReadFile("testdata/pre-commit-directory.yaml")
		require.NoError(t, err)
		nested := strings.NewReplacer("https://github.com/errgen/errgen", repo, "rev: v0.1.0", "rev: "+
			strings.TrimSpace(out)).Replace(string(text))
		mono := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(mono, ".pre-commit-config.yaml"), []byte(nested), 0o644))
		out, err = sh("mkdir " + mono + "/services; git clone -q . " + mono + "/services/shop; cd " + mono +
			"; rm -rf services/shop/.git; git init -q .; git add .; pre-commit run")
		require.NoError(t, err, out)
		out, err = sh("cd " + mono + "; git rm -qf services/shop/errs/table_gen.go; pre-commit run")
		require.Error(t, err, out)
		assert.Contains(t, out, "errs/table_gen.go: missing")

		preCommit = func() (string, error) { return sh("git add . && pre-commit run --verbose") }
	} else if os.Getenv("ERRGEN_PRECOMMIT") == "required" {
		t.Fatal(err)
	} else {
		t.Skip(err)
	}
	clean := map[string]func() (string, error){"action": action, "GitLab": template, "pre-commit": preCommit}
	for name, run := range clean {
		out, err := run()
		require.NoError(t, err, "%s: %s", name, out)
	}

	// A checkout of one commit knows where its branch left main, or says what to set.
	out, err := sh(`git commit -q --allow-empty -m one && git branch one && git commit -q --allow-empty -m two &&
		git branch two && git checkout -q main && sed -i 's/^      ORDER_NOT_FOUND:/      ADDED: {doc: New., message: new}\n&/' \
		taxonomy.yaml && go tool errgen generate -o errs && git commit -qam added &&
		git checkout -qb merged && git merge -q -m merge two && git checkout -q topic`)
	require.NoError(t, err, out)
	for branch, want := range map[string]string{"one": "", "merged": "", "two": "fetch-depth: 0"} {
		clone := t.TempDir()
		out, err := sh("git clone -q --depth=1 --branch="+branch+" file://"+dir+" "+clone+" && cd "+clone+"\n"+
			check.Runs.Steps[0]["run"].(string), "PACKAGES=errs", "BASE=main")
		assert.Equal(t, want == "", err == nil, "%s: %s", branch, out)
		assert.Contains(t, out, want, branch)
		assert.NotContains(t, out, "ADDED", branch)
	}
	// The first commit with a taxonomy is compared with nothing.
	out, err = sh(`git checkout -qb without && git rm -q taxonomy.yaml && git commit -qm without &&
		git checkout -qb with && git checkout topic taxonomy.yaml && git commit -qm with
		BASE=without PACKAGES=errs
		` + check.Runs.Steps[0]["run"].(string) + `
		CI_MERGE_REQUEST_DIFF_BASE_SHA=without
		` + strings.Join(gitlab.Breaking.Script, "\n") + "\ngit checkout -q topic")
	assert.NoError(t, err, out)
	assert.NotContains(t, out, "fatal")

	for _, tt := range []struct {
		name, old, changed, do string
		action, gitlab, hooks  string // a part of the output, or "" if it passes
	}{
		{"stale package", "no order {orderId}", "no such order {orderId}", "",
			"::error file=errs/order_error_gen.go", "errs/order_error_gen.go", "errs/order_error_gen.go"},
		{"removed code", "ORDER_NOT_FOUND:", "ORDER_UNKNOWN:", "go tool errgen generate -o errs",
			"::error file=taxonomy.yaml", "E-break-code-renamed", ""},
		{"removed file", "errgen: 1", "errgen: 1", "git rm -q errs/table_gen.go", "::error file=errs/table_gen.go",
			"errs/table_gen.go", "errs/table_gen.go"},
		{"warning", "        doc: The order does not exist.\n", "", "go tool errgen generate -o errs", "title=W-no-doc",
			"[W-no-doc]", "[W-no-doc]"},
		{"unknown key", "    retryable: true", "    retriable: true", "", "title=E-unknown-key", "[E-unknown-key]",
			"[E-unknown-key]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			edit(t, taxonomy, tt.old, tt.changed)
			out, err := sh(tt.do)
			require.NoError(t, err, out)
			for _, c := range []struct {
				name, want string
				run        func() (string, error)
			}{{"action", tt.action, action}, {"GitLab", tt.gitlab, template}, {"pre-commit", tt.hooks, preCommit}} {
				out, err := c.run()
				if c.want == "" {
					assert.NoError(t, err, "%s: %s", c.name, out)
					continue
				}
				assert.Error(t, err, c.name)
				assert.Contains(t, out, c.want, c.name)
				if strings.HasPrefix(c.want, "title=") {
					assert.Equal(t, 1, strings.Count(out, c.want), "only the first command that fails reports: %s", out)
				}
			}
			out, err = sh("git checkout -q HEAD taxonomy.yaml errs")
			require.NoError(t, err, out)
		})
	}
}
