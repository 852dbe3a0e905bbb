//go:build unix

package recovery

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
)

// D99, B-D17
func TestInstallDependency(t *testing.T) {
	tests := []struct {
		name      string
		ecosystem Ecosystem
		text      string
		want      string
	}{
		{"node", NPM, "Error: Cannot find module 'left-pad'\nRequire stack:\n- /app/index.js", "left-pad"},
		{"node's modules", NPM, "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'chalk' imported from /app/x.mjs",
			"chalk"},
		{"typescript", NPM,
			"src/a.ts(1,19): error TS2307: Cannot find module \"lodash\" or its corresponding type declarations.",
			"lodash"},
		{"bun", NPM, "error: Cannot find package \"zod\" from \"/app/a.ts\"", "zod"},
		{"bun's bundler", NPM, "error: Could not resolve: \"react\". Maybe you need to \"bun install\"?", "react"},
		{"webpack", NPM, "Module not found: Error: Can't resolve 'vue' in '/app/src'", "vue"},
		{"scoped", NPM, "cannot FIND Module '@types/node'", "@types/node"},
		{"python", Python, "ModuleNotFoundError: No module named 'requests'", "requests"},
		{"an old python", Python, "ImportError: No module named Six", "Six"},
		{"go", Go,
			"a.go:3:2: no required module provides package golang.org/x/sync/errgroup; to add it:\n\tgo get " +
				"golang.org/x/sync/errgroup", "golang.org/x/sync/errgroup"},
		{"go without a go.mod", Go, "cannot find module providing package gopkg.in/yaml.v3: x", "gopkg.in/yaml.v3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tools := &recorder{dir: t.TempDir()}
			in := &Installer{Ecosystem: tt.ecosystem, Command: []string{"installer", "add", "--", "{package}"},
				Allow: []string{tt.want}}
			w := newWorld(t, Options{Tools: tools, Installer: in})
			require.NoError(t, w.InstallDependency(t.Context(), says(tt.text)))
			assert.Equal(t, argv("installer", "add", "--", tt.want), tools.ran)
			r := w.last(t)
			assert.Equal(t, "Installed dependency: "+tt.want, r.Message)
			assert.Equal(t, tt.want, r.Data[DataPackage])
			assert.Equal(t, ActionInstall, r.Action)
			assert.Equal(t, []string{"installer", "add", "--", "{package}"}, in.Command,
				"the configuration stays as it is")
		})
	}
}

// D100, B-D17
func TestInstallRefuses(t *testing.T) {
	tools := &recorder{dir: t.TempDir()}
	npm := func(change func(*Installer)) Options {
		in := &Installer{Ecosystem: NPM, Command: []string{"npm", "install", "--", "{package}"}}
		change(in)
		return Options{Tools: tools, Installer: in}
	}
	listed := npm(func(in *Installer) { in.Allow = []string{"react"} })
	any := npm(func(in *Installer) { in.AllowAny = true })
	tests := []struct {
		name string
		o    Options
		text string
		says string
	}{
		{"not configured", Options{Tools: tools}, "Cannot find module 'react'",
			"Nothing is installed, because no installer is configured"},
		{"no tools", Options{Installer: listed.Installer}, "Cannot find module 'react'",
			"Not run, because nothing is configured that commands could be run with"},
		{"no name", listed, "something else is wrong", "Could not extract package name from error"},
		{"a quote that nothing ends", listed, "Cannot find module 'react", "Could not extract package name from error"},
		{"no list", npm(func(*Installer) {}), "Cannot find module 'react'",
			`Did not install "react": nothing is listed that may be installed`},
		{"an empty list", npm(func(in *Installer) { in.Allow = []string{} }), "Cannot find module 'react'",
			`Did not install "react": it is not among what may be installed`},
		{"not in the list", listed, "Cannot find module 'reakt'",
			`Did not install "reakt": it is not among what may be installed`},
		{"the first counts", listed, "Cannot find module 'reakt'\nCannot find module 'react'",
			`Did not install "reakt": it is not among what may be installed`},
		{"a relative path", any, "Cannot find module './util'", `Did not install "./util": it is a path`},
		{"an option", any, "Cannot find module '--registry=http://x'",
			`Did not install "--registry=http://x": it begins with a dash, so that it could be an option`},
		{"an address", any, "Cannot find module 'node:fs'",
			`Did not install "node:fs": it is an address, an alias or has a version`},
		{"a part of a package", any, "Cannot find module 'lodash/fp'", `Did not install "lodash/fp": it is a path`},
		{"a homoglyph", any, "Cannot find module 'l\u043edash'",
			`Did not install "l\u043edash": it has characters outside of ASCII, or that are not printable`},
		{"a file of the tree", any, "Cannot find module 'socket.io'",
			`Did not install "socket.io": it has a dot, so that it could be a file; only a list of what is allowed ` +
				`can have it`},
		{"an archive", npm(func(in *Installer) { in.Allowed = func(string) bool { return true } }),
			"Cannot find module 'x.tgz'", `Did not install "x.tgz": it is a path`},
		{"too long", any, "Cannot find module '" + strings.Repeat("a", 215) + "'",
			`it is longer than any package name`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.o)
			assert.ErrorContains(t, w.InstallDependency(t.Context(), says(tt.text)), tt.says)
			assert.Empty(t, tools.ran)
			assert.Contains(t, w.last(t).Message, tt.says)
		})
	}
	w := newWorld(t, npm(func(in *Installer) { in.Allow = []string{"socket.io"} }))
	assert.NoError(t, w.InstallDependency(t.Context(), says("Cannot find module 'socket.io'")),
		"who lists a dot knows it")
	w = newWorld(
		t, npm(func(
			in *Installer) {
			in.Allowed = func(name string) bool { return strings.HasPrefix(name, "@mine/") }
		}))
	assert.NoError(t, w.InstallDependency(t.Context(), says("Cannot find module '@mine/x'")))
	assert.Error(t, w.InstallDependency(t.Context(), says("Cannot find module '@yours/x'")))
}

// An installation that fails, or does not help, leaves the files of the tree as they were.
func TestInstallationsThatFail(t *testing.T) {
	r := newRepo(t)
	self := func(script string) []string { return []string{"sh", "-c", script, "sh", "{package}"} }
	tests := []struct {
		name     string
		in       Installer
		validate error
		says     string
	}{
		{"fails", Installer{Command: self("echo $1 >a.txt; echo no such package >&2; exit 1")}, nil,
			`exit code 1: "no such package" (what it changed was put back`},
		{"does not help", Installer{Command: self("echo $1 >a.txt"), Check: line("false")}, nil,
			"Failed to install dependency: validator validate: exit: exit code 1"},
		{"the host says no", Installer{Command: self("echo $1 >a.txt")}, errors.New("still missing"),
			"Failed to install dependency: still missing"},
		{"helps", Installer{Command: self("echo $1 >a.txt"), Check: line("grep -q left-pad a.txt")}, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Ecosystem, tt.in.AllowAny = NPM, true
			o := Options{Tools: r.tools(ToolsConfig{}), Installer: &tt.in}
			if tt.validate != nil {
				o.Validate = func(context.Context, taxonomy.RecoveryRequest) error { return tt.validate }
			}
			w := newWorld(t, o)
			err := w.InstallDependency(t.Context(), says("Cannot find module 'left-pad'"))
			if tt.says == "" {
				require.NoError(t, err)
				assert.Equal(t, "left-pad\n", r.read("a.txt"))
				return
			}
			assert.ErrorContains(t, err, tt.says)
			assert.Equal(t, "a\n", r.read("a.txt"))
		})
	}
}

// A workspace is no condition of installing.
func TestInstallWithoutAWorkspace(t *testing.T) {
	tools, err := NewTools(ToolsConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	w := newWorld(
		t, Options{Tools: tools,
			Installer: &Installer{Ecosystem: Go, Command: []string{"echo", "{package}"}, AllowAny: true,
				Check: []validate.Command{{Line: "true"}}}})
	require.NoError(
		t, w.InstallDependency(
			t.Context(),
			taxonomy.RecoveryRequest{Err: &taxonomy.Evidence{Output: "no required module provides package " +
				"example.com/a/b"}}))
	assert.Equal(t, "example.com/a/b\n", w.last(t).Data[DataOutput])
}
