package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// proxy is a module proxy of files with the modules of this repository, and a module cache beside
// it. Every other module comes from the person's module cache.
type proxy struct {
	dir string
	env []string // the environment of go commands that use the proxy
}

// newProxy returns an empty proxy below a directory.
func newProxy(dir string) (*proxy, error) {
	out, err := command{dir: dir}.output("go", "env", "-json", "GOMODCACHE", "GOPROXY", "GOCACHE")
	if err != nil {
		return nil, err
	}
	var env struct{ GOMODCACHE, GOPROXY, GOCACHE string }
	if err := json.Unmarshal([]byte(out), &env); err != nil {
		return nil, err
	}
	p := &proxy{dir: filepath.Join(dir, "proxy")}
	// A version that was packed for a trial must never reach the person's module cache, so this
	// one is new. It is writable, because it is removed with the clone.
	p.env = []string{
		"GOPROXY=" + strings.Join([]string{
			fileURL(p.dir), fileURL(filepath.Join(env.GOMODCACHE, "cache", "download")), env.GOPROXY}, ","),
		"GOMODCACHE=" + filepath.Join(dir, "modules"), "GOCACHE=" + env.GOCACHE, "GOFLAGS=-modcacherw -trimpath",
		"GONOSUMDB=" + rootModule + "," + rootModule + "/*", "GONOPROXY=", "GOPRIVATE=",
		"GOWORK=off", "GOTOOLCHAIN=local",
	}
	return p, os.MkdirAll(p.dir, 0o755)
}

func fileURL(dir string) string {
	path := filepath.ToSlash(dir)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + path
}

// add packs the module of a directory as the last commit has it.
func (p *proxy) add(repo, dir, version string) (err error) {
	m := module.Version{Path: rootModule, Version: version}
	if dir != "" {
		m.Path += "/" + dir
	}
	versions := filepath.Join(p.dir, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(repo, filepath.FromSlash(dir), "go.mod"))
	if err != nil {
		return err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, version, time.Now().UTC().Format(time.RFC3339))
	for name, content := range map[string]string{
		"list": version + "\n", version + ".info": info, version + ".mod": string(mod),
	} {
		if err := os.WriteFile(filepath.Join(versions, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(versions, version+".zip"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return zip.CreateFromVCS(f, m, repo, "HEAD", dir)
}

// command runs programs in a directory, with additions to the environment.
type command struct {
	dir string
	env []string
}

// output returns what a program prints. The error of a failure has all that it printed.
func (c command) output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = c.dir, append(append(os.Environ(), c.env...), "PWD="+c.dir)
	var stdout, all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &all
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s in %s: %w\n%s%s", name, strings.Join(args, " "), c.dir, err, &stdout, &all)
	}
	return stdout.String(), nil
}

// commit commits every change.
func (c command) commit(message string) error {
	if _, err := c.output("git", "add", "-A"); err != nil { // go.sum may be new
		return err
	}
	_, err := c.output("git", "commit", "-q", "-m", message)
	return err
}
