//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var fenced = regexp.MustCompile("(?ms)^```([a-z]+)( [a-z.]+)?\n(.*?)^```$")

// TestServices does in an empty module what docs/services.md tells a reader to do.
func TestServices(t *testing.T) {
	r := newReader(t)
	r.follow("services.md", "localhost:8080", freeAddress(t))
	assert.LessOrEqual(t, r.steps, 10, "commands and edits until the service answers")
	assert.NotEmpty(t, r.answer)
}

// TestAgents does the same with docs/agents.md: an agent gets the output of a check that failed.
func TestAgents(t *testing.T) {
	r := newReader(t)
	r.follow("agents.md")
	assert.FileExists(t, filepath.Join(r.dir, "demo", "main.go"))
}

// reader is a reader of a page in an empty module, for whom errgen comes from a clone.
type reader struct {
	consumer
	steps  int    // commands and edits
	answer string // of the last request
}

func newReader(t *testing.T) *reader {
	t.Helper()
	clone, err := filepath.Abs(root)
	require.NoError(t, err)
	beside := t.TempDir()
	require.NoError(t, os.Symlink(clone, filepath.Join(beside, "errgen")))
	r := &reader{consumer: consumer{t: t, dir: filepath.Join(beside, "shop"), env: append(os.Environ(),
		"GOWORK=off", "GOFLAGS=", "XDG_STATE_HOME="+t.TempDir(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")}}
	require.NoError(t, os.Mkdir(r.dir, 0o755))
	return r
}

// follow runs each command of a page, writes each file, and compares the output. The pairs are texts
// to replace.
func (r *reader) follow(page string, pairs ...string) {
	t := r.t
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "docs", page))
	require.NoError(t, err)
	for _, block := range fenced.FindAllStringSubmatch(strings.NewReplacer(pairs...).Replace(string(text)), -1) {
		language, name, content := block[1], strings.TrimSpace(block[2]), block[3]
		switch {
		case strings.Contains(name, "."):
			require.NoError(t, os.WriteFile(filepath.Join(r.dir, name), []byte(content), 0o644))
			r.steps++
		case language == "go", language == "yaml":
			// a part of examples/shop or of a sample, whose tests run it; TestBlocks in docs finds it
		case language == "json":
			assert.JSONEq(t, content, r.answer)
		case language == "console":
			var shown strings.Builder
			for line := range strings.Lines(content) {
				if command, ok := strings.CutPrefix(line, "$ "); ok {
					shown.WriteString(line + r.run("sh", "-euc", command))
				}
			}
			assert.Equal(t, content, shown.String())
		case language == "sh":
			for command := range strings.Lines(content) {
				command = strings.TrimSpace(command)
				if name == "" {
					r.steps++
				}
				if background, ok := strings.CutSuffix(command, " &"); ok {
					r.start(background)
				} else if url, ok := strings.CutPrefix(command, "curl -s "); ok {
					r.answer = fetch(t, "http://"+url)
				} else if strings.HasPrefix(command, "go get -tool ") {
					r.run("sh", "-euc", shell(t, string(readme), "### From a clone", "bash"))
				} else {
					r.run("sh", "-euc", command)
				}
			}
		default:
			assert.Fail(t, "no test of the block", language)
		}
	}
}

// freeAddress returns an address that nothing listens to.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	defer l.Close()
	return fmt.Sprintf("localhost:%d", l.Addr().(*net.TCPAddr).Port)
}

// start runs a command until the test ends, and returns when it reports that it listens.
func (c consumer) start(command string) {
	c.t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = c.dir, append(c.env, "PWD="+c.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr, err := cmd.StderrPipe()
	require.NoError(c.t, err)
	require.NoError(c.t, cmd.Start())
	c.t.Cleanup(func() {
		assert.NoError(c.t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "listening") {
			return
		}
	}
	require.Fail(c.t, "the program ended", command)
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, "application/problem+json", resp.Header.Get("Content-Type"))
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(b)
}
