package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/detect/triage"
)

// logLabel is the label of a log, which is not in the repository.
type logLabel struct {
	SHA256 string `json:"sha256"` // its first 16 digits
	// Source is the repository that has the log, Path its file there. Project is what the job built.
	Source  string `json:"source"`
	Path    string `json:"path"`
	Project string `json:"project"`
	// Split is tune for the logs that the marks were written with, and held for others.
	Split  string `json:"split"`
	Passed bool   `json:"passed,omitempty"`
	Part   string `json:"part,omitempty"` // "excerpt", or "" for a complete log
	// Line is the line of the cause, and Also are ranges of lines that are equally right.
	Line int      `json:"line,omitempty"`
	Also [][2]int `json:"also,omitempty"`
	// Class is the right signature, or "" if none fits. Or are others that are right.
	Class string   `json:"class,omitempty"`
	Or    []string `json:"or,omitempty"`
}

// isLine reports whether a line is within three lines of a right one.
func (l *logLabel) isLine(line int) bool {
	near := func(r [2]int) bool { return r[0]-3 <= line && line <= r[1]+3 }
	return near([2]int{l.Line, l.Line}) || slices.ContainsFunc(l.Also, near)
}

// TestMeasureTriage prints how the labelled logs below the directories of $ERRGEN_LOGS, which are
// separated like those of $PATH, are classified. $ERRGEN_SPLIT limits them to one split. The labels
// are in testdata/triage/labels.jsonl, or in $ERRGEN_LABELS.
func TestMeasureTriage(t *testing.T) {
	dirs := filepath.SplitList(os.Getenv("ERRGEN_LOGS"))
	if len(dirs) == 0 {
		t.Skip("$ERRGEN_LOGS names no directories with logs")
	}
	labels := readLabels(t)
	text, err := builtinTaxonomy()
	require.NoError(t, err)
	rules := detection.Rules(loadSource("built-in taxonomy", text).model)
	counts := map[string]*tally{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			text, sum := readLog(t, path)
			label := labels[sum]
			if label == nil || os.Getenv("ERRGEN_SPLIT") != "" && label.Split != os.Getenv("ERRGEN_SPLIT") {
				return nil
			}
			delete(labels, sum)
			r, err := rules.Log(bytes.NewReader(text), triage.Unknown, nil)
			require.NoError(t, err)
			verdict, isLine := judge(label, &r)
			key := fmt.Sprintf("%-4s %s", label.Split, label.Source)
			for _, k := range []string{key, label.Split + " all"} {
				if counts[k] == nil {
					counts[k] = new(tally)
				}
				counts[k].add(verdict, isLine)
			}
			if verdict != "right" && verdict != "quiet" || !isLine {
				got, line, text := "", 0, ""
				if r.Cause != nil {
					got, line, text = r.Cause.Class.Name, r.Cause.Line, r.Cause.Searched
				}
				t.Logf("%s line=%t %s: %d %q, want %d %q: %.100q", verdict, isLine, path, line, got, label.Line,
					label.Class, text)
			}
			return nil
		})
		require.NoError(t, err)
	}
	for _, k := range slices.Sorted(func(yield func(string) bool) {
		for k := range counts {
			if !yield(k) {
				return
			}
		}
	}) {
		t.Logf("%-60s %+v", k, *counts[k])
	}
	t.Logf("%d labelled logs were not found", len(labels))
}

// tally counts results. Quiet are passed logs without a result, null those whose label has no class.
type tally struct{ Logs, Right, Wrong, Missed, NullRight, NullWrong, Line, Quiet, Reported, Coded int }

func (c *tally) add(verdict string, isLine bool) {
	c.Logs++
	switch verdict {
	case "right":
		c.Right++
	case "wrong":
		c.Wrong++
	case "missed":
		c.Missed++
	case "null right":
		c.NullRight++
	case "null wrong":
		c.NullWrong++
	case "quiet":
		c.Quiet++
		return
	case "coded":
		c.Coded++
		c.Reported++
		return
	case "reported":
		c.Reported++
		return
	}
	if isLine {
		c.Line++
	}
}

func judge(label *logLabel, r *detect.LogResult) (verdict string, isLine bool) {
	class, line := "", 0
	if r.Cause != nil {
		class, line = r.Cause.Class.Name, r.Cause.Line
	}
	right := class == label.Class || slices.Contains(label.Or, class)
	isLine = label.isLine(line)
	switch {
	case label.Passed && r.Cause == nil:
		return "quiet", true
	case label.Passed && class != "":
		return "coded", false
	case label.Passed:
		return "reported", false
	case label.Class == "" && right:
		return "null right", isLine
	case label.Class == "":
		return "null wrong", isLine
	case right:
		return "right", isLine
	case class == "":
		return "missed", isLine
	}
	return "wrong", isLine
}

func readLabels(t *testing.T) map[string]*logLabel {
	t.Helper()
	path := os.Getenv("ERRGEN_LABELS")
	if path == "" {
		path = "testdata/triage/labels.jsonl"
	}
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	labels := map[string]*logLabel{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		l := new(logLabel)
		require.NoError(t, json.Unmarshal(in.Bytes(), l))
		labels[l.SHA256] = l
	}
	require.NoError(t, in.Err())
	return labels
}

// readLog returns a log, decompressed, and the beginning of its hash.
func readLog(t *testing.T, path string) ([]byte, string) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	if strings.HasSuffix(path, ".gz") {
		if z, err := gzip.NewReader(bytes.NewReader(b)); err == nil {
			var out bytes.Buffer
			_, _ = out.ReadFrom(z) // a truncated file has another hash
			b = out.Bytes()
		}
	}
	sum := sha256.Sum256(b)
	return b, hex.EncodeToString(sum[:])[:16]
}
