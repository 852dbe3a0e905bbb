package diff

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUnified(t *testing.T) {
	tests := map[string]struct{ old, new, want string }{
		"equal":      {"a\nb\n", "a\nb\n", ""},
		"both empty": {"", "", ""},
		"created":    {"", "a\nb\n", "--- old\n+++ new\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		"removed":    {"a\n", "", "--- old\n+++ new\n@@ -1 +0,0 @@\n-a\n"},
		"changed":    {"a\nb\nc\n", "a\nx\nc\n", "--- old\n+++ new\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		"first line": {"a\nb\n", "x\nb\n", "--- old\n+++ new\n@@ -1,2 +1,2 @@\n-a\n+x\n b\n"},
		"last line":  {"a\nb\n", "a\n", "--- old\n+++ new\n@@ -1,2 +1 @@\n a\n-b\n"},
		"newline removed": {"a\nb\n", "a\nb",
			"--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"},
		"no unique lines": {"a\na\na\n", "a\na\n", "--- old\n+++ new\n@@ -1,3 +1,2 @@\n a\n a\n-a\n"},
		"two hunks": {
			"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "x\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\ny\n",
			"--- old\n+++ new\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -9,4 +9,4 @@\n 9\n 10\n 11\n-12\n+y\n",
		},
		"near changes share a hunk": {
			"1\n2\n3\n4\n5\n6\n7\n8\n", "x\n2\n3\n4\n5\n6\n7\ny\n",
			"--- old\n+++ new\n@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n",
		},
		"moved": {"a\nb\nc\n", "c\na\nb\n", "--- old\n+++ new\n@@ -1,3 +1,3 @@\n+c\n a\n b\n-c\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			require.NoError(t, Unified(&got, "old", []byte(tt.old), "new", []byte(tt.new)))
			assert.Equal(t, tt.want, got.String())
		})
	}
}

// apply is an independent reader of unified diffs: it turns old into what the diff says, and checks
// every line that the diff claims to find there.
func apply(t *testing.T, old, diff string) string {
	t.Helper()
	var out strings.Builder
	rest := strings.SplitAfter(old, "\n")
	at := 0
	text := strings.SplitAfter(diff, "\n")
	for i := 2; i < len(text); i++ {
		l := text[i]
		if l == "" || l == noNewline {
			continue
		}
		if i+1 < len(text) && text[i+1] == noNewline {
			l = strings.TrimSuffix(l, "\n")
		}
		switch l[0] {
		case '@':
			from, empty := head(t, l)
			for ; at < from-1 || empty && at < from; at++ {
				out.WriteString(rest[at])
			}
		case ' ':
			require.Equal(t, rest[at], l[1:])
			out.WriteString(rest[at])
			at++
		case '-':
			require.Equal(t, rest[at], l[1:])
			at++
		case '+':
			out.WriteString(l[1:])
		default:
			t.Fatalf("line %q is none of a unified diff", l)
		}
	}
	return out.String() + strings.Join(rest[at:], "")
}

func head(t *testing.T, line string) (from int, empty bool) {
	t.Helper()
	span, _, ok := strings.Cut(strings.TrimPrefix(line, "@@ -"), " +")
	require.True(t, ok, line)
	first, n, _ := strings.Cut(span, ",")
	for _, c := range first {
		from = from*10 + int(c-'0')
	}
	return from, n == "0"
}

func FuzzUnified(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc")
	f.Add("", "a")
	f.Add("a\na\nb\na\n", "a\nb\nb\na\na\n")
	f.Add("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n3\n4\n5\n6\n7\n8\n9\n2\n")
	f.Fuzz(func(t *testing.T, old, new string) {
		var got bytes.Buffer
		require.NoError(t, Unified(&got, "old", []byte(old), "new", []byte(new)))
		assert.Equal(t, new, apply(t, old, got.String()))
	})
}

func TestUnifiedIsWhatPatchReads(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("no patch here")
	}
	old := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"
	new := "a\nB\nc\nd\ne\nf\ng\nh\ni\nJ"
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(file, []byte(old), 0o600))
	var diff bytes.Buffer
	require.NoError(t, Unified(&diff, "f", []byte(old), "f", []byte(new)))
	cmd := exec.Command(patch, "f")
	cmd.Dir, cmd.Stdin = dir, &diff
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, new, string(got))
}

// Two texts of many equal lines are what makes a naive diff take quadratic time.
func TestUnifiedOfManyRepeatedLines(t *testing.T) {
	old := strings.Repeat("}\n\n", 200_000)
	new := strings.Repeat("\n}\n", 200_001)
	var got bytes.Buffer
	require.NoError(t, Unified(&got, "old", []byte(old), "new", []byte(new)))
	assert.Equal(t, new, apply(t, old, got.String()))
}
