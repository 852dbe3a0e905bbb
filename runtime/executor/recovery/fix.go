package recovery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/internal/finding"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Tool has the commands of a strategy: those that change files, and those that check the result.
type Tool struct {
	// Fix are the commands that change files, in order. A fix continues after a command that exits
	// with a failure, because many tools fail after they changed files; the check decides. An
	// installer stops there. An argument can be {file} or {files}: the first file that the failure
	// names, or all of them, at most 16. For an installer it can be {package}.
	Fix []validate.Command
	// Check are the commands that must all pass; otherwise the fix is reverted. It is required
	// unless the tool is an installer.
	Check []validate.Command
	// Ecosystem specifies how failures name a missing package, and Allow lists the packages that
	// may be installed. Both are for installers only.
	Ecosystem Ecosystem
	Allow     []string
}

// The placeholders in the arguments of [Tool.Fix].
const (
	PlaceholderFile    = "{file}"
	PlaceholderFiles   = "{files}"
	PlaceholderPackage = "{package}"
)

// Ecosystem is a package registry with its naming rules.
type Ecosystem string

// The ecosystems.
const (
	NPM    Ecosystem = "npm"
	Python Ecosystem = "python"
	Go     Ecosystem = "go"
)

// ecosystems have two expressions each: one finds the missing package in a text, and one matches a
// plain package name.
var ecosystems = map[Ecosystem]struct{ missing, plain *regexp.Regexp }{
	NPM: {
		regexp.MustCompile(
			`(?i)(?:cannot find (?:module|package)|(?:can't|could not) resolve:?) ['"]([^'"\n]{1,300})['"]`,
		),
		regexp.MustCompile(`^(?:@[a-z0-9][a-z0-9_-]*/)?[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$`),
	},
	Python: {
		regexp.MustCompile(`(?i)no module named ['"]?([^'"\s;:,]{1,300})`),
		regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`),
	},
	Go: {
		regexp.MustCompile(
			`(?i)(?:no required module provides package|cannot find module providing package) ([^\s;:,]{1,300})`,
		),
		regexp.MustCompile(`^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*(?:/[A-Za-z0-9][A-Za-z0-9._~-]*)+$`),
	},
}

// problemsOf returns evidence of every invalid option.
func problemsOf(o Options) (all []error) {
	wrong := func(field, value, expected string) {
		value = text.Beginning(value, maxShown)
		all = append(all, &taxonomy.Evidence{Source: "config", Op: "load_config", Type: "invalid",
			Err:        fmt.Errorf("%s is %q, expected %s", field, value, expected),
			Attributes: map[string]string{"field": field, "value": value, "expected": expected}})
	}
	for key, t := range o.Tools {
		install := key == "install"
		if !slices.Contains([]string{"install", "lint", "types", "tests", "build"}, key) {
			wrong("Tools."+key, key, "install, lint, types, tests or build")
		}
		if len(t.Fix) == 0 {
			wrong("Tools."+key+".Fix", "", "a program with its arguments")
		}
		if len(t.Check) == 0 && !install {
			wrong("Tools."+key+".Check", "", "a program with its arguments")
		}
		for i, c := range t.Fix {
			if expected := unusable(c, install); expected != "" {
				wrong(fmt.Sprintf("Tools.%s.Fix[%d]", key, i), c.String(), expected)
			}
		}
		for i, c := range t.Check {
			if !c.Usable() || hasPlaceholder(c.String()) {
				wrong(fmt.Sprintf("Tools.%s.Check[%d]", key, i), c.String(),
					"a program with its arguments, without placeholders")
			}
		}
		if !install {
			continue
		}
		e, known := ecosystems[t.Ecosystem]
		if !known {
			wrong("Tools.install.Ecosystem", string(t.Ecosystem), "npm, python or go")
			continue
		}
		for i, name := range t.Allow {
			if !e.plain.MatchString(name) || len(name) > maxShown {
				wrong(fmt.Sprintf("Tools.install.Allow[%d]", i), name, "a plain package name")
			}
		}
	}
	return all
}

// unusable returns the expected form of a command that cannot be used, or "" if it can be used.
func unusable(c validate.Command, install bool) string {
	if !c.Usable() {
		return "a program with its arguments, or a line"
	}
	holders := []string{PlaceholderFile, PlaceholderFiles}
	if install {
		holders = []string{PlaceholderPackage}
	}
	found := 0
	for i, arg := range append([]string{c.Line}, c.Args...) {
		switch {
		case slices.Contains(holders, arg) && i > 1 && !isScript(c.Args[i-2]):
			found++
		case hasPlaceholder(arg):
			return "placeholders that are arguments by themselves, and not a program or a script"
		}
	}
	if install && found != 1 {
		return "one argument that is " + PlaceholderPackage
	}
	return ""
}

func hasPlaceholder(s string) bool {
	return strings.Contains(s, PlaceholderFile) || strings.Contains(s, PlaceholderFiles) ||
		strings.Contains(s, PlaceholderPackage)
}

// isScript reports whether an argument makes a program run its next argument as a script.
func isScript(arg string) bool {
	return slices.Contains([]string{"-c", "/c", "/C", "-e", "-Command", "--eval", "--command"}, arg)
}

// fixThenCheck runs the commands of the strategy's tool and its check. If the check fails, or a
// change is not allowed, all changes are reverted.
func fixThenCheck(a *attempt) error {
	tool, known := a.opts.Tools[a.Tool]
	switch {
	case !known:
		return &Error{Message: "No tool " + a.Tool + " is configured for strategy " + a.Strategy, Err: ErrNoTool}
	case a.opts.Tree == nil:
		return &Error{Message: "Not run: " + ErrNoTree.Error(), Err: ErrNoTree}
	}
	if err := a.change(tool, a.filled); err != nil {
		return a.failure("Failed to apply "+a.Fixes, err)
	}
	a.Message = "Applied " + a.Fixes
	return nil
}

// installThenCheck installs the package that the failure names, if it is allowed.
func installThenCheck(a *attempt) error {
	tool, known := a.opts.Tools[a.Tool]
	if !known {
		return &Error{Message: "Nothing is installed, because no installer is configured", Err: ErrNoTool}
	}
	name := ""
	for _, reported := range textsOf(a.failed) {
		if m := ecosystems[tool.Ecosystem].missing.FindStringSubmatch(reported); m != nil && name == "" {
			name = m[1]
		}
	}
	if name == "" {
		return &Error{Message: "Could not extract package name from error", Err: ErrNoPackage}
	}
	a.note(DataPackage, name)
	if !slices.Contains(tool.Allow, name) {
		return &Error{Err: ErrNotAllowed,
			Message: "Did not install " + text.Quote(name, maxShown) + ": " + ErrNotAllowed.Error()}
	}
	fill := func(commands []validate.Command) ([]validate.Command, error) {
		return replaced(commands, PlaceholderPackage, []string{name}), nil
	}
	if err := a.change(tool, fill); err != nil {
		return a.failure("Failed to install dependency", err)
	}
	a.Message = "Installed dependency: " + name
	return nil
}

// failure returns an error with the last line of output and the reference of reverted changes.
func (a *attempt) failure(message string, cause error) error {
	if known, ok := errors.AsType[*Error](cause); ok {
		return known
	}
	message += ": " + text.Error(cause, maxShown)
	if lines := strings.Split(strings.TrimSpace(a.Data[DataOutput]), "\n"); lines[0] != "" {
		message += ": " + text.Beginning(lines[len(lines)-1], maxShown)
	}
	if a.Data[DataSaved] != "" {
		message += " (the changes were reverted, and are saved as " + a.Data[DataSaved] + ")"
	}
	return &Error{Message: message, Err: cause}
}

// change runs the commands of a tool, as fill completes them, and its check. In a tree, a change that
// fails is reverted. A package outside of a run is installed in the directory of commands, because a
// clone would not deliver the files of the package, which git ignores.
func (a *attempt) change(tool Tool, fill func([]validate.Command) ([]validate.Command, error)) error {
	select {
	case a.busy <- struct{}{}:
		defer func() { <-a.busy }()
	case <-a.ctx.Done():
		return context.Cause(a.ctx)
	}
	lenient := a.strategy.Action == ActionFix
	fix := func(ctx context.Context) error {
		commands, err := fill(tool.Fix)
		if err != nil {
			return err
		}
		return a.runAll(ctx, commands, lenient)
	}
	verify := func(ctx context.Context) error {
		if err := a.runAll(ctx, tool.Check, false); err != nil {
			a.note(DataCheck, "failed")
			return err
		}
		if len(tool.Check) > 0 {
			a.note(DataCheck, "passed")
		}
		return nil
	}
	a.dir = a.opts.Dir
	if a.opts.Tree == nil || !lenient && !a.opts.Tree.has(a.failed.Run) {
		return errors.Join(fix(a.ctx), verify(a.ctx))
	}
	name := fmt.Sprintf("%s-%d", a.Strategy, a.At.UnixMilli())
	branch, err := a.opts.Tree.within(a.ctx, a.failed.Run, "fix-"+name, a.opts.Dir,
		func(space *workspace.Space, dir string) error {
			a.dir = dir
			changes, saved, err := space.Attempt(a.ctx, name, a.judge, fix, verify)
			var paths []string
			for _, c := range changes[:min(len(changes), 20)] {
				paths = append(paths, text.Quote(c.Path, maxShown))
			}
			a.note(DataChanged, strings.Join(paths, ", "))
			a.note(DataSaved, saved)
			return err
		})
	a.note(DataBranch, branch)
	return err
}

// runAll runs commands until one fails. If lenient, it continues after a command that exited with a
// failure.
func (a *attempt) runAll(ctx context.Context, commands []validate.Command, lenient bool) error {
	runner, err := validate.New(validate.Config{Dir: a.dir, Env: a.opts.Env, Limit: a.opts.Limit})
	if err != nil {
		return err
	}
	for _, c := range commands {
		result := runner.Run(ctx, a.Strategy, c)
		a.note(DataCommand, result.Command)
		a.note(DataOutput, result.Output)
		if result.Err == nil {
			continue
		}
		var ev *taxonomy.Evidence
		if errors.As(result.Err, &ev) && lenient {
			if _, exited := ev.ExitCode.Get(); exited {
				continue
			}
		}
		return result.Err
	}
	return nil
}

// judge returns an error if a change is not allowed.
func (a *attempt) judge(changes []executor.Change) error {
	verdicts := slices.Repeat([]executor.Verdict{executor.Allowed}, len(changes))
	if a.opts.Guard != nil {
		var err error
		if verdicts, err = a.opts.Guard.Judge(a.ctx, changes); err != nil || len(verdicts) != len(changes) {
			return fmt.Errorf("judge the changes: %w", errors.Join(err, errors.New("not every change was judged")))
		}
	}
	ev := &taxonomy.Evidence{Source: "scope", Op: "scope", Type: "forbidden", Text: "a change is not allowed"}
	for i, c := range changes {
		if (c.Escapes || verdicts[i] != executor.Allowed) && len(ev.Files) < 20 {
			ev.Files = append(ev.Files, c.Path)
		}
	}
	if len(ev.Files) == 0 {
		return nil
	}
	ev.Text += ": " + text.Quote(ev.Files[0], maxShown)
	return ev
}

// textsOf returns the texts of a failure, which are untrusted.
func textsOf(f taxonomy.RecoveryRequest) (all []string) {
	if f.Err != nil {
		all = append(all, text.Error(f.Err, 16<<10))
	}
	if f.Evidence != nil {
		all = append(all, f.Evidence.Text, f.Evidence.Output)
	}
	return all
}

// filled returns commands with their placeholders replaced by the files that the failure names.
func (a *attempt) filled(commands []validate.Command) ([]validate.Command, error) {
	if !slices.ContainsFunc(commands, func(c validate.Command) bool {
		return slices.Contains(c.Args, PlaceholderFile) || slices.Contains(c.Args, PlaceholderFiles)
	}) {
		return commands, nil
	}
	root, err := os.OpenRoot(a.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var named, files []string
	if a.failed.Evidence != nil {
		named = append(named, a.failed.Evidence.Files...)
	}
	for _, reported := range textsOf(a.failed) {
		for f := range finding.In(reported) {
			named = append(named, f.File)
		}
	}
	for _, name := range named[:min(len(named), 256)] {
		if name, ok := fileIn(root, a.dir, name); ok && !slices.Contains(files, name) && len(files) < 16 {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return nil, &Error{Message: "Could not parse a file from error", Err: ErrNoFile}
	}
	a.note(DataFile, strings.Join(files, ", "))
	return replaced(replaced(commands, PlaceholderFiles, files), PlaceholderFile, files[:1]), nil
}

// plainPath matches paths that every tool reads as a path: no part begins with a dash.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.@+-]*(?:/[A-Za-z0-9_.@+][A-Za-z0-9_.@+-]*)*$`)

// fileIn returns the path of a regular file below a directory, relative to it.
func fileIn(root *os.Root, dir, name string) (string, bool) {
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return "", false
		}
		name = rel
	}
	name = strings.TrimPrefix(filepath.ToSlash(name), "./")
	if len(name) > 1024 || !plainPath.MatchString(name) || !filepath.IsLocal(name) ||
		strings.Contains("/"+strings.ToLower(name)+"/", "/.git/") {
		return "", false
	}
	parts := strings.Split(name, "/")
	for i := range parts {
		info, err := root.Lstat(filepath.FromSlash(strings.Join(parts[:i+1], "/")))
		if err != nil || i < len(parts)-1 && !info.IsDir() || i == len(parts)-1 && !info.Mode().IsRegular() {
			return "", false
		}
	}
	return name, true
}

// replaced returns commands with the values instead of a placeholder.
func replaced(commands []validate.Command, placeholder string, values []string) []validate.Command {
	out := slices.Clone(commands)
	for i, c := range out {
		if at := slices.Index(c.Args, placeholder); at >= 0 {
			out[i].Args = slices.Concat(c.Args[:at], values, c.Args[at+1:])
		}
	}
	return out
}
