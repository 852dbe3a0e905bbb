package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// verify builds, vets and tests every module against the proxy, and runs the quick start.
func verify(clone command, p *proxy, modules []nested, version string) error {
	fmt.Println("the quick start of README.md")
	if err := quickStart(clone.dir, p); err != nil {
		return err
	}
	for _, m := range append([]nested{{}}, modules...) {
		fmt.Println("build and test", m.path())
		if err := consume(p, m.path(), version); err != nil {
			return err
		}
		in := clone
		in.dir = filepath.Join(clone.dir, filepath.FromSlash(m.dir))
		if m.dir == "vet" { // its fixtures use the edges of other modules
			in.env = append(slices.Clone(in.env), "GOWORK="+filepath.Join(clone.dir, "go.work"))
		}
		if _, err := in.output("go", "test", "-short", "./..."); err != nil {
			return err
		}
	}
	return nil
}

// consume requires a module in an empty module, and builds its packages there.
func consume(p *proxy, path, version string) error {
	c, err := emptyModule(p)
	if err != nil {
		return err
	}
	defer os.RemoveAll(c.dir)
	for _, args := range [][]string{
		{"mod", "init", "example.com/consumer"}, {"get", path + "@" + version}, {"build", "-mod=mod", path + "/..."},
	} {
		if _, err := c.output("go", args...); err != nil {
			return err
		}
	}
	return nil
}

// emptyModule returns a directory for a module of a user.
func emptyModule(p *proxy) (command, error) {
	dir, err := os.MkdirTemp(filepath.Dir(p.dir), "consumer")
	return command{dir: dir, env: p.env}, err
}

// quickStart runs the commands of the section "Quick start" of README.md in an empty module, as they are
// and with "go run" in place of a tool, and checks what the module then requires.
func quickStart(repo string, p *proxy) error {
	readme, err := os.ReadFile(filepath.Join(repo, "README.md"))
	if err != nil {
		return err
	}
	_, section, ok := strings.Cut(string(readme), "\n## Quick start\n")
	_, commands, begins := strings.Cut(section, "\n```sh\n")
	commands, _, ends := strings.Cut(commands, "\n```\n")
	first, rest, hasMore := strings.Cut(commands, "\n")
	if !ok || !begins || !ends || !hasMore || !strings.HasPrefix(first, "go get -tool ") {
		return fmt.Errorf("README.md has no commands in a section \"Quick start\"")
	}
	const tool, run = "go tool errgen", "go run " + rootModule + "/cmd/errgen@latest"
	if !strings.Contains(section, run) {
		return fmt.Errorf("README.md does not name %q", run)
	}
	checks := "\ngo tool errgen check\ngo vet ./...\ngo mod tidy -diff"
	return errors.Join(shop(p, commands+checks), shop(p, strings.ReplaceAll(rest+checks, tool, run)))
}

// shop runs commands in an empty module, and checks that it requires few modules then.
func shop(p *proxy, commands string) error {
	c, err := emptyModule(p)
	if err != nil {
		return err
	}
	defer os.RemoveAll(c.dir)
	if _, err := c.output("go", "mod", "init", "example.com/shop"); err != nil {
		return err
	}
	if _, err := c.output("sh", "-euc", commands); err != nil {
		return err
	}
	return requiresLittle(c)
}

// heavy are parts of the paths of the modules that the nested modules keep away from other programs.
var heavy = []string{"anthropic", "openai", "modelcontextprotocol", "sqlite", "temporal", "prometheus", "opentelemetry",
	"google.golang.org/grpc", "connectrpc", "pgx", "riverqueue", "nats"}

// requiresLittle checks that go.mod and go.sum of a module with a generated package contain none of
// the heavy modules.
func requiresLittle(c command) error {
	var errs []error
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(c.dir, name))
		if err != nil {
			return err
		}
		for _, part := range heavy {
			if strings.Contains(string(text), part) {
				errs = append(errs, fmt.Errorf("%s of a program with a generated package has %q", name, part))
			}
		}
	}
	return errors.Join(errs...)
}
