package recovery

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// B-D12
func TestLocations(t *testing.T) {
	tests := []struct {
		text string
		want []location
	}{
		{"src/a.ts(12,5): error TS2322: Type 'x' is not 'y'.", []location{{"src/a.ts", 12, 5}}},
		{"src/a.ts(12:5): error TS2322: no", []location{{"src/a.ts", 12, 5}}},
		{"./a.go:3:14: undefined: x", []location{{"./a.go", 3, 14}}},
		{"a.py:7: error: no", []location{{"a.py", 7, 0}}},
		{"a.go:3", []location{{"a.go", 3, 0}}},
		{"  --> src/main.rs:3:5", []location{{"src/main.rs", 3, 5}}},
		{"    at run (/app/x.js:10:20)", []location{{"/app/x.js", 10, 20}}},
		{`C:\work\a.ts:3:4: no`, []location{{`C:\work\a.ts`, 3, 4}}},
		{`at (C:\work\a.ts:3:4)`, []location{{`C:\work\a.ts`, 3, 4}}},
		{`in "b.txt:4:5"`, []location{{"b.txt", 4, 5}}},
		{"a.go:1:2: x\r\nb.go(3,4): y\n\nc.go:5:6", []location{{"a.go", 1, 2}, {"b.go", 3, 4}, {"c.go", 5, 6}}},
		{"note: see a.go:1:2", []location{{"a.go", 1, 2}}},
		{"at 12:30 it failed in a.go:1:2", []location{{"12", 30, 0}}}, // and there is no file 12
		{"a.ts(12): no", nil},
		{"a.ts(12,): no", nil},
		{"a.ts(12,5: no", nil},
		{"a.go:0:1: no", nil},
		{"a.go:1234567890:1: no", nil},
		{"http://x.test/a:80/b", nil},
		{"x=a.go:1:2", nil},
		{"a b", nil},
		{":1:2", nil},
		{"(1,2)", nil},
		{"", nil},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, locationsIn(tt.text, 10), tt.text)
	}
	assert.Len(t, locationsIn(strings.Repeat("a:1\n", 20), 3), 3)
}

func TestPlainNames(t *testing.T) {
	tests := []struct {
		ecosystem Ecosystem
		name      string
		plain     bool // in a list
		unlisted  bool
	}{
		{NPM, "react", true, true}, {NPM, "left-pad", true, true}, {NPM, "@types/node", true, true},
		{NPM, "a", true, true}, {NPM, "3d_x", true, true},
		{NPM, "socket.io", true, false}, {NPM, "@a.b/c", false, false}, {NPM, "@a/b.js", true, false},
		{NPM, "React", false, false}, {NPM, "a/b", false, false}, {NPM, "a/", false, false}, {NPM, "@a", false, false},
		{NPM, "@/a", false, false},
		{NPM, "@a/b/c", false, false}, {NPM, "@a/../b", false, false}, {NPM, "a..b", false, false},
		{NPM, ".a", false, false}, {NPM, "a.", false, false},
		{NPM, "_a", false, false}, {NPM, "-a", false, false}, {NPM, "a-", false, false}, {NPM, "a@1", false, false},
		{NPM, "a b", false, false},
		{NPM, "a.tgz", false, false}, {NPM, "a.tar.gz", false, false}, {NPM, "a.git", false, false},
		{NPM, "~a", false, false},
		{Python, "requests", true, true}, {Python, "PyYAML", true, true}, {Python, "a_b", true, true},
		{Python, "a.b", true, false}, {Python, "@a/b", false, false},
		{Python, "a.whl", false, false}, {Python, "a==1", false, false}, {Python, "a[b]", false, false},
		{Go, "golang.org/x/sync", true, true}, {Go, "github.com/A/b-c_d", true, true},
		{Go, "gopkg.in/yaml.v3", true, true}, {Go, "example.com/~u/x", false, false},
		{Go, "fmt", false, false}, {Go, "net/http", false, false}, {Go, "golang.org", false, false},
		{Go, "./x.y/z", false, false}, {Go, "x.y//z", false, false},
		{Go, "127.0.0.1/x", false, false}, {Go, "127.1/x", false, false}, {Go, "0x7f.0x1/x", false, false},
		{Go, "1.2.3.4:80/x", false, false},
		{Go, "x.y:80/z", false, false}, {Go, "[::1]/x", false, false}, {Go, "localhost/x", false, false},
		{Go, "9fans.net/go", true, true},
		{Go, "x.y/../z", false, false}, {Go, "x.y/z@v1", false, false}, {Go, "X.y/z", false, false},
		{Go, "x.y/-z", false, false}, {Go, "x.y/.z", false, false},
		{"", "react", false, false}, {"cargo", "serde", false, false},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.plain, tt.ecosystem.plain(tt.name, true) == nil, "%s %s", tt.ecosystem, tt.name)
		assert.Equal(t, tt.unlisted, tt.ecosystem.plain(tt.name, false) == nil, "%s %s", tt.ecosystem, tt.name)
	}
	long := strings.Repeat("a", maxPackage)
	assert.NoError(t, NPM.plain(long, false))
	assert.Equal(t, errLong, NPM.plain(long+"a", false))
}

// Whatever a text says, a name that passes is one word of plain characters that no tool can take
// for something else.
func FuzzPackageName(f *testing.F) {
	for _, name := range hostileNames {
		for _, e := range []Ecosystem{NPM, Python, Go} {
			f.Add(string(e), "Cannot find module '"+name+"'\nNo module named "+name+
				"\nno required module provides package "+name)
		}
	}
	f.Fuzz(func(t *testing.T, ecosystem, text string) {
		e := Ecosystem(ecosystem)
		name, ok := nameIn(text, e)
		if !ok || e.plain(name, true) != nil {
			return
		}
		require.Contains(t, text, name)
		require.LessOrEqual(t, len(name), 214)
		require.NotContains(t, name, "..")
		const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@/~"
		require.Empty(t, strings.Trim(name, plain))
		require.NotContains(t, "-./~_", name[:1])
		if e == NPM {
			require.Equal(t, strings.HasPrefix(name, "@"), strings.Contains(name, "/"))
			require.LessOrEqual(t, strings.Count(name, "/"), 1)
		}
		if e != Go {
			require.Equal(t, strings.Contains(name, "."), e.plain(name, false) != nil)
		}
	})
}

// Whatever a text says, a file that is given to a command is a regular file of the tree and nothing
// but a path.
func FuzzFiles(f *testing.F) {
	dir := f.TempDir()
	require.NoError(f, os.MkdirAll(filepath.Join(dir, "in", "src"), 0o755))
	for _, name := range []string{"in/a.go", "in/-x", "in/src/b.go", "in/@c", "o.go"} {
		require.NoError(f, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), nil, 0o600))
	}
	root := filepath.Join(dir, "in")
	for _, text := range append(hostileNames, "a.go:1:2", "src/b.go(1,2)", "../o.go:1:2", "-x:1:2", root+"/a.go:1",
		"src\\b.go:1:1", "@c(1:2)") {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, text, file string) {
		files, err := filesIn(root, said{texts: []string{text}, files: []string{file}})
		require.NoError(t, err)
		for _, name := range files {
			require.Contains(t, []string{"a.go", "src/b.go"}, name)
		}
	})
}

// hostileNames seed the fuzz targets.
var hostileNames = []string{
	"react", "@scope/name", "golang.org/x/sync", "--registry=http://x", "-rf", "a;rm -rf /", "../a", "./a", "/a",
	"file:a", "a@npm:b", "a=1", "a.tgz",
	"@scope/../../a", "l\u043edash", "\u202ea", "a\x00", "a\nb", "$(a)", "`a`", "a b", "{package}", "", ".", "..",
	strings.Repeat("a", 300),
}
