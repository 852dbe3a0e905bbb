package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// The shadow is a repository without a history of its own: it has the object store of the user's
// repository and none of its configuration, hooks and attributes. Commands that run in it can be
// relied upon whatever was done to the user's.

func (g *Git) shadow() string { return filepath.Join(g.home, "shadow") }

// makeShadow makes the shadow, once in the life of this process unless somebody removes it. Rules
// of what is ignored are those of that moment.
func (g *Git) makeShadow(ctx context.Context, op string) error {
	if _, err := os.Lstat(filepath.Join(g.shadow(), "HEAD")); g.made && err == nil {
		return nil
	}
	excludes, fold, err := g.ignoreConfig(ctx, op)
	if err != nil {
		return err
	}
	if err := g.writeShadow(excludes, fold); err != nil {
		return fault(op, "make errgen's directory", []string{g.home}, err)
	}
	g.made = true
	return nil
}

func (g *Git) writeShadow(excludes []byte, fold bool) error {
	dir := g.shadow()
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, d := range []string{"objects", "refs", "info"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return err
		}
	}
	exclude, err := os.ReadFile(filepath.Join(g.common, "info", "exclude"))
	if err != nil && !missing(err) {
		return err
	}
	files := map[string]string{
		"HEAD":            "ref: refs/heads/none\n",
		"config":          g.shadowConfig(fold),
		"excludes":        string(excludes),
		"info/exclude":    string(exclude),
		"info/attributes": "* -text -filter -ident -working-tree-encoding -diff -merge\n",
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (g *Git) shadowConfig(fold bool) string {
	var b strings.Builder
	b.WriteString(
		"[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tautocrlf = false\n\tattributesFile = /dev/null\n")
	if fold {
		b.WriteString("\tignoreCase = true\n")
	}
	if g.algo == "sha256" {
		b.WriteString("[extensions]\n\tobjectFormat = sha256\n")
	}
	return b.String()
}

// ignoreConfig returns the user's own rules of what is ignored, and whether case does not count.
// Reading the configuration runs nothing of it.
func (g *Git) ignoreConfig(ctx context.Context, op string) (excludes []byte, fold bool, err error) {
	out, err := g.git(
		ctx, call{op: op, none: 1, args: []string{"config", "--null", "--type=path", "--get", "core.excludesFile"}})
	if err != nil {
		return nil, false, err
	}
	name := strings.TrimRight(string(out), "\x00")
	if name == "" {
		name = defaultExcludes()
	}
	if name != "" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(g.root, name)
		}
		if excludes, err = os.ReadFile(name); err != nil && !missing(err) {
			return nil, false, fault(op, "", []string{name}, err)
		}
	}
	out, err = g.git(
		ctx, call{op: op, none: 1, args: []string{"config", "--null", "--type=bool", "--get", "core.ignoreCase"}})
	if err != nil {
		return nil, false, err
	}
	return excludes, strings.TrimRight(string(out), "\x00") == "true", nil
}

// defaultExcludes is where the rules are unless the configuration says otherwise.
func defaultExcludes() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", "ignore")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".config", "git", "ignore")
}
