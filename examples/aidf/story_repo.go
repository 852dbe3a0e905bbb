package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/errgen/errgen/runtime/providers/providertest"
)

// repository is one in which an act takes place.
type repository struct {
	*narrator
	dir string
}

// begin makes a repository, a task and a configuration for an act of the name, in a directory of
// their own.
func (s *story) begin(ctx context.Context, name, task, config string) *stage {
	dir := filepath.Join(s.dir, name)
	r := &repository{narrator: &s.narrator, dir: filepath.Join(dir, "shop")}
	s.check(os.MkdirAll(r.dir, 0o700))
	st := &stage{repository: r}
	st.options = options{
		run: name, repo: r.dir, taskFile: st.file("greeting.md", task), configFile: st.file("aidf.yml", config),
		journal: filepath.Join(dir, "journal"),
	}
	for path, content := range found {
		r.write(path, content)
	}
	r.git(ctx, "init", "--quiet", "--initial-branch=main", "--template=")
	for _, setting := range [][2]string{
		{"user.name", "A Person"}, {"user.email", "person@example.com"}, {"commit.gpgSign", "false"},
		{"core.autocrlf", "false"},
	} {
		r.git(ctx, "config", setting[0], setting[1])
	}
	r.git(ctx, "add", "--all")
	r.git(ctx, "commit", "--quiet", "--message=The shop as it was")
	return st
}

// found are the files that the agent finds.
var found = map[string]string{
	".gitignore":            ".env\n",
	".env":                  "SHOP_MODE=live\n",
	"LICENSE":               "All rights reserved.\n",
	"greet.txt":             "hello\n",
	"deploy/production.yml": "replicas: 3\n",
	"check.sh": `# A greeting is a whole sentence.
grep -q '^[A-Z].*!$' greet.txt && exit 0
echo "greet.txt:1: no capital letter, or no exclamation mark: $(cat greet.txt)"
exit 1
`,
}

// cli makes the agent of an act: a program that plays the steps.
func (s *stage) cli(steps ...providertest.CLIStep) *providertest.CLI {
	cli, err := providertest.NewCLI(filepath.Dir(s.dir), steps...)
	s.check(err)
	return cli
}

func (r *repository) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *repository) write(name, content string) {
	r.check(os.MkdirAll(filepath.Dir(r.path(name)), 0o755))
	r.check(os.WriteFile(r.path(name), []byte(content), 0o644))
}

// shows says what is in files.
func (r *repository) shows(names ...string) {
	for _, name := range names {
		b, err := os.ReadFile(r.path(name))
		if os.IsNotExist(err) {
			r.aside("%s: not there", name)
			continue
		}
		r.check(err)
		r.aside("%s: %s", name, strings.TrimSpace(string(b)))
	}
}

// git runs git and returns what it says.
func (r *repository) git(ctx context.Context, args ...string) string {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.check(fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out))
	}
	return strings.TrimRight(string(out), "\n")
}

// runs says a git command and what it says.
func (r *repository) runs(ctx context.Context, args ...string) {
	r.aside("$ git %s", strings.Join(args, " "))
	if out := r.git(ctx, args...); out != "" {
		r.aside("%s", out)
	}
}
