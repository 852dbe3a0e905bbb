package verify_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/escalate/verify"
)

// need verifies one prerequisite.
func need(t *testing.T, dir string, p plan.Prerequisite) escalate.Verification {
	t.Helper()
	all := verifier(t, verify.Options{Dir: dir}).Prerequisites(t.Context(), []plan.Prerequisite{p})
	require.Len(t, all, 1)
	if ev := all[0].Failed; ev != nil {
		assert.Equal(t, "plan prepare", ev.Source+" "+ev.Op)
		assert.Equal(t, string(p.Kind), ev.Attribute("kind"))
		assert.Equal(t, all[0].How, ev.Attribute("how"))
	}
	return all[0]
}

func said(v escalate.Verification) string {
	if v.Failed == nil {
		return "met"
	}
	return brief(v.Failed)
}

// O23: each kind is verified in its own way, which is said. O39, O40: what the system says is
// evidence.
func TestFilesAndDirectories(t *testing.T) {
	dir := tree(t, map[string]string{"docs/AGENTS.md": "x", "empty/": "", "a b.txt": "", "-x": ""})
	for _, c := range []struct {
		kind       plan.PrerequisiteKind
		name, want string
	}{
		{plan.File, "docs/AGENTS.md", "met"},
		{plan.File, "./docs//AGENTS.md", "met"},
		{plan.File, "docs/../docs/AGENTS.md", "met"},
		{plan.File, "a b.txt", "met"},
		{plan.File, "-x", "met"},
		{plan.File, "docs/CLAUDE.md", "not_found ENOENT: the file docs/CLAUDE.md is not there"},
		{plan.File, "none here.md", `not_found ENOENT: the file "none here.md" is not there`},
		{plan.File, "a\nb", `not_found ENOENT: the file "a\nb" is not there`},
		{plan.File, "docs", "not_found: the file docs is a directory"},
		{plan.File, "", "not_found: no path is given"},
		{plan.Directory, "docs", "met"},
		{plan.Directory, "docs/", "met"},
		{plan.Directory, ".", "met"},
		{plan.Directory, "empty", "met"},
		{plan.Directory, "none", "not_found ENOENT: the directory none is not there"},
		{plan.Directory, "docs/AGENTS.md", "not_found: the directory docs/AGENTS.md is no directory"},
		{plan.File, "../" + filepath.Base(dir) + "/a b.txt", "denied: the file"},
		{plan.File, "docs/../../x",
			"denied: the file ../x is not in the tree: its path, or a symbolic link, leads out of it"},
		{plan.Directory, "..", "denied: the directory .. is not in the tree"},
		{"sorcery", "x", "not_found: there are no prerequisites of the kind sorcery"},
	} {
		assert.Contains(t, said(need(t, dir, plan.Prerequisite{Kind: c.kind, Name: c.name})), c.want, "%s %q", c.kind,
			c.name)
	}

	v := need(t, dir, plan.Prerequisite{Kind: plan.File, Name: "docs/CLAUDE.md"})
	assert.Equal(t, "opened for reading", v.How)
	assert.Equal(t, []string{"docs/CLAUDE.md"}, v.Failed.Files)
	assert.ErrorIs(t, v.Failed, fs.ErrNotExist)
	assert.Equal(t, "docs/CLAUDE.md", v.Failed.Attribute("name"))
	assert.NotContains(t, fmt.Sprintf("%+v", v.Failed), dir, "where the tree is, is nobody's business")
	assert.Equal(t, "listed", need(t, dir, plan.Prerequisite{Kind: plan.Directory, Name: "docs"}).How)
}

// O43
func TestPrograms(t *testing.T) {
	dir, bin := tree(t, map[string]string{"check.sh": "", "plain": "", "sub/": ""}), t.TempDir()
	require.NoError(t, os.Chmod(filepath.Join(dir, "check.sh"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "tool"), []byte("#!/bin/sh\n"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "data"), nil, 0o644))
	t.Setenv("PATH", bin)
	for _, c := range []struct{ name, want string }{
		{"tool", "met"},
		{"data", "not_found: the program data is not in PATH"},
		{"nosuchtool", "not_found: the program nosuchtool is not in PATH"},
		{"--version", "not_found: the program --version begins with '-', as an option does"},
		{"make test", `not_found: the program "make test" has white space in its name`},
		{"", `not_found: the program "" has no name`},
		{"./check.sh", "met"},
		{"sub/../check.sh", "met"},
		{"./plain", "denied EACCES: the program plain may not be executed"},
		{"./sub", "not_found: the program sub is a directory"},
		{"./none", "not_found ENOENT: the program none is not there"},
		{filepath.Join(bin, "tool"), "is not in the tree"},
	} {
		assert.Contains(t, said(need(t, dir, plan.Prerequisite{Kind: plan.Program, Name: c.name})), c.want, c.name)
	}
	v := need(t, dir, plan.Prerequisite{Kind: plan.Program, Name: "nosuchtool"})
	assert.ErrorIs(t, v.Failed, exec.ErrNotFound)
	assert.Equal(t, "looked up in PATH", v.How)
	assert.ErrorIs(t, need(t, dir, plan.Prerequisite{Kind: plan.Program, Name: "./plain"}).Failed, fs.ErrPermission)

	t.Chdir(bin)
	t.Setenv("PATH", ".")
	v = need(t, dir, plan.Prerequisite{Kind: plan.Program, Name: "tool"})
	assert.Equal(t, "denied: the program tool is in the current directory only, where nothing is run from", said(v))
	assert.ErrorIs(t, v.Failed, exec.ErrDot)
}

// O44: a value is never said.
func TestVariables(t *testing.T) {
	t.Setenv("V_TOKEN", "sk-live-0123456789abcdefghijklmnop")
	t.Setenv("V_EMPTY", "")
	all := verifier(t, verify.Options{Dir: t.TempDir()}).Prerequisites(t.Context(), []plan.Prerequisite{
		{Kind: plan.Variable, Name: "V_TOKEN"}, {Kind: plan.Variable, Name: "V_EMPTY"},
		{Kind: plan.Variable, Name: "V_API_KEY"},
		{Kind: plan.Variable, Name: "V_SECRET=sk-live-0123456789abcdefghijklmnop"},
	})
	var got []string
	for _, v := range all {
		got = append(got, said(v))
	}
	assert.Equal(t, []string{
		"met",
		"unset_variable: environment variable V_EMPTY is empty",
		"unset_variable: environment variable V_API_KEY is not set",
		"unset_variable: environment variable V_SECRET is not set",
	}, got)
	text, err := json.Marshal(all)
	require.NoError(t, err)
	assert.NotContains(t, string(text)+fmt.Sprintf("%+v", all), "0123456789abcdef")
}

// O41: a refused connection has its errno.
func TestAddresses(t *testing.T) {
	server := httptest.NewServer(nil)
	defer server.Close()
	there := server.Listener.Addr().String()
	const refused = "127.0.0.1:1" // no port that anybody is given
	for _, c := range []struct{ name, want string }{
		{there, "met"},
		{server.URL, "met"},
		{server.URL + "/some/page?q=1", "met"},
		{strings.Replace(server.URL, "http:", "https:", 1), "met"}, // no TLS is needed for connecting
		{refused, "network ECONNREFUSED: " + refused + " refuses the connection"},
		{"http://" + refused, "network ECONNREFUSED: " + refused + " refuses the connection"},
		{"127.0.0.1",
			"not_found: the address cannot be used: it has no port: write it as host:port, [address]:port or an " +
				"http or https URL"},
		{"ftp://127.0.0.1:1",
			`not_found: the address cannot be used: it has the scheme "ftp": use http or https, or host:port`},
	} {
		assert.Equal(t, c.want, said(need(t, t.TempDir(), plan.Prerequisite{Kind: plan.Address, Name: c.name})), c.name)
	}
	assert.Equal(
		t, "connected by TCP to "+there, need(t, t.TempDir(), plan.Prerequisite{Kind: plan.Address, Name: server.URL}).
			How)

	v := need(t, t.TempDir(), plan.Prerequisite{Kind: plan.Address, Name: "http://me:hunter2hunter2@" + refused})
	text, err := json.Marshal(v)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "hunter2")
}

// TestAnAddressThatIsSilent dials with no time left, as an address that does not answer would take
// it all.
func TestAnAddressThatIsSilent(t *testing.T) {
	server := httptest.NewServer(nil)
	defer server.Close()
	v := verifier(t, verify.Options{Dir: t.TempDir(), DialLimit: time.Nanosecond})
	ev := v.Prerequisites(t.Context(), []plan.Prerequisite{{Kind: plan.Address, Name: server.URL}})[0].Failed
	require.NotNil(t, ev)
	assert.Equal(t, "timeout: "+server.Listener.Addr().String()+" does not answer within 1ns", brief(ev))
}

// O22: all are verified, in their order, whatever is wrong with the others.
func TestAllPrerequisitesAreVerified(t *testing.T) {
	dir := tree(t, nil)
	var all []plan.Prerequisite
	for i := range 50 {
		name := fmt.Sprintf("f%02d", i)
		if i%3 == 0 {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
		}
		all = append(all, plan.Prerequisite{Kind: plan.File, Name: name, Doc: "doc", Line: i})
	}
	v := verifier(t, verify.Options{Dir: dir})
	out := v.Prerequisites(t.Context(), all)
	require.Len(t, out, len(all))
	for i, got := range out {
		assert.Equal(t, all[i], got.Prerequisite)
		assert.Equal(t, i%3 == 0, got.Failed == nil, all[i].Name)
	}
	assert.Empty(t, v.Prerequisites(t.Context(), nil))

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	for _, got := range v.Prerequisites(ctx, all) {
		require.NotNil(t, got.Failed, "what is not verified is not met")
		assert.ErrorIs(t, got.Failed, context.Canceled)
		assert.ErrorContains(t, got.Failed, "enough")
		assert.Equal(t, "plan prepare", got.Failed.Source+" "+got.Failed.Op)
	}

	late, stop := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer stop()
	assert.Equal(t, "timeout", v.Prerequisites(late, all[:1])[0].Failed.Type)
}
