package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTally(t *testing.T) {
	for name, tt := range map[string]struct {
		events string
		want   string
		output string
	}{
		"passes and skips": {
			events: `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`,
			want:   "1 passed, 0 failed",
			output: "ok  \tp\t0.1s\n",
		},
		"a failing subtest and its parent": {
			events: `{"Action":"output","Package":"p","Test":"TestA/x","Output":"    a_test.go:3: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestA/x"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`,
			want:   "0 passed, 2 failed",
			output: "    a_test.go:3: wrong\nFAIL\tp\t0.1s\n",
		},
		"a package that does not build": {
			events: `{"Action":"build-output","ImportPath":"p","Output":"p.go:1: undefined: x\n"}
{"Action":"build-fail","ImportPath":"p"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`,
			want:   "0 passed, 1 failed",
			output: "p.go:1: undefined: x\nFAIL\tp [build failed]\n",
		},
		"a package that dies outside of a test": {
			events: `{"Action":"output","Package":"p","Output":"panic: in init\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`,
			want:   "0 passed, 1 failed",
			output: "FAIL\tp\t0.1s\npanic: in init\n",
		},
		"plain text between the events": {
			events: "go: no such module\n",
			want:   "0 passed, 0 failed",
			output: "go: no such module\n",
		},
		"a last line without its end": {
			events: `{"Action":"pass","Package":"p","Test":"TestA"}`,
			want:   "1 passed, 0 failed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var total tally
			var out bytes.Buffer
			require.NoError(t, total.read(strings.NewReader(tt.events), &out))
			assert.Equal(t, tt.want, total.String())
			assert.Equal(t, tt.output, out.String())
		})
	}
}

// The exit status is what a build server goes by, so it is tested on real modules.
func TestRun(t *testing.T) {
	good := module(t, "func TestGood(*testing.T) {}")
	bad := module(t, "func TestBad(t *testing.T) { t.Fatal(`on purpose`) }")
	broken := module(t, "func TestBroken(t *testing.T) { undefined() }")
	for name, tt := range map[string]struct {
		args     []string
		status   int
		lastLine string
	}{
		"one module that passes":  {[]string{"-C", good, "--", "./..."}, 0, "1 passed, 0 failed"},
		"the second of two fails": {[]string{"-C", good, "-C", bad, "--", "./..."}, 1, "1 passed, 1 failed"},
		"the first of two fails":  {[]string{"-C", bad, "-C", good, "--", "./..."}, 1, "1 passed, 1 failed"},
		"one that does not build": {[]string{"-C", broken, "--", "./..."}, 1, "0 passed, 1 failed"},
		"arguments reach go test": {[]string{"-C", bad, "-C", good, "--", "-run", "Good", "./..."}, 0,
			"1 passed, 0 failed"},
		"an argument go test has no": {[]string{"-C", good, "--", "-nosuchflag", "./..."}, 1, "0 passed, 1 failed"},
		"no such directory":          {[]string{"-C", filepath.Join(good, "none")}, 2, ""},
		"no such flag":               {[]string{"-x"}, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "summary")
			var stdout, stderr bytes.Buffer
			status := run(append([]string{"-o", file}, tt.args...), &stdout, &stderr)
			require.Equal(t, tt.status, status, "%s%s", &stdout, &stderr)
			if tt.lastLine == "" {
				assert.NotEmpty(t, stderr.String())
				return
			}
			lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
			assert.Equal(t, tt.lastLine, lines[len(lines)-1])
			written, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, tt.lastLine+"\n", string(written))
		})
	}
}

func module(t *testing.T, test string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.org/m\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "m_test.go"), "package m\n\nimport \"testing\"\n\n"+test+"\n")
	return dir
}

func write(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
}
