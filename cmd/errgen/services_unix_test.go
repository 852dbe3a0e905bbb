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

// TestServices does in an empty module what docs/services.md tells a reader to do: it runs each
// command, writes each file, and compares the output. Errgen comes from a clone.
func TestServices(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	clone, err := filepath.Abs(root)
	require.NoError(t, err)
	beside := t.TempDir()
	require.NoError(t, os.Symlink(clone, filepath.Join(beside, "errgen")))
	shop := consumer{t: t, dir: filepath.Join(beside, "shop"), env: append(os.Environ(), "GOWORK=off", "GOFLAGS=")}
	require.NoError(t, os.Mkdir(shop.dir, 0o755))
	text, err := os.ReadFile(filepath.Join(root, "docs", "services.md"))
	require.NoError(t, err)
	address := freeAddress(t)
	page := strings.ReplaceAll(string(text), "localhost:8080", address)
	steps, answer := 0, ""
	for _, block := range fenced.FindAllStringSubmatch(page, -1) {
		language, name, content := block[1], strings.TrimSpace(block[2]), block[3]
		switch {
		case language == "go" && name == "", language == "yaml":
			// a part of examples/shop or of a sample, whose tests run it; TestBlocks in docs finds it
		case language == "go":
			require.NoError(t, os.WriteFile(filepath.Join(shop.dir, name), []byte(content), 0o644))
			steps++
		case language == "json":
			assert.JSONEq(t, content, answer)
		case language == "sh":
			for command := range strings.Lines(content) {
				command = strings.TrimSpace(command)
				if name == "" {
					steps++
				}
				if background, ok := strings.CutSuffix(command, " &"); ok {
					shop.start(background)
				} else if url, ok := strings.CutPrefix(command, "curl -s "); ok {
					answer = fetch(t, "http://"+url)
				} else if strings.HasPrefix(command, "go get -tool ") {
					shop.run("sh", "-euc", shell(t, string(readme), "### From a clone", "bash"))
				} else {
					shop.run("sh", "-euc", command)
				}
			}
		default:
			assert.Fail(t, "no test of the block", language)
		}
	}
	assert.LessOrEqual(t, steps, 10, "commands and edits until the service answers")
	assert.NotEmpty(t, answer)
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
