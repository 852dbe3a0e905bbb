package detect_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var noon = time.Date(2026, 1, 2, 13, 0, 0, 5, time.FixedZone("", 3600))

func clock() time.Time { return noon }

func openRecord(t *testing.T, o detect.RecordOptions) (*detect.Record, string) {
	t.Helper()
	if o.Now == nil {
		o.Now = clock
	}
	path := filepath.Join(t.TempDir(), "unmatched.jsonl")
	r, err := detect.OpenRecord(path, o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r, path
}

// entries reads a record; every line must be an entry, or empty.
func entries(t *testing.T, path string) []detect.Entry {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	var out []detect.Entry
	for line := range bytes.Lines(b) {
		if len(line) == 1 {
			continue
		}
		var e detect.Entry
		require.NoError(t, json.Unmarshal(line, &e), string(line))
		out = append(out, e)
	}
	return out
}

func TestRecord(t *testing.T) {
	r, path := openRecord(t, detect.RecordOptions{})
	require.NoError(t, r.Record(&taxonomy.Evidence{
		Source: "git", Op: "push", ExitCode: taxonomy.Some(128), Text: "fatal: password=hunter2hunter2 refused",
		Output:     "printed",
		Credential: "work", Attributes: map[string]string{"remote": "origin"}, Files: []string{"a.go"},
		Err: errors.New("no"),
	}))
	require.NoError(t, r.Record(&taxonomy.Evidence{Source: "git", Err: errors.New("lost")}))
	require.NoError(t, r.Record(nil))
	require.NoError(t, r.Close())

	b, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, `{"time":"2026-01-02T12:00:00Z","evidence":{"source":"git","op":"push","exit_code":128,"text":"fatal: password=[REDACTED] refused","files":["a.go"],"attributes":{"remote":"origin"}}}
{"time":"2026-01-02T12:00:00Z","evidence":{"source":"git","text":"lost"}}
`, string(b))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode())
}

func TestRecordAfterClose(t *testing.T) {
	r, _ := openRecord(t, detect.RecordOptions{})
	require.NoError(t, r.Close())
	assert.ErrorIs(t, r.Record(&taxonomy.Evidence{Text: "a"}), os.ErrClosed)
	assert.ErrorIs(t, r.Close(), os.ErrClosed)
}

func TestRecordFull(t *testing.T) {
	r, path := openRecord(t, detect.RecordOptions{MaxBytes: 200})
	require.NoError(t, r.Record(&taxonomy.Evidence{Text: "one"}))
	require.NoError(t, r.Record(&taxonomy.Evidence{Text: "two"}))
	err := r.Record(&taxonomy.Evidence{Text: strings.Repeat("three ", 20)})
	assert.ErrorIs(t, err, detect.ErrRecordFull)
	assert.EqualError(t, err, "record evidence: record is full")
	assert.Len(t, entries(t, path), 2)
	assert.NoError(t, r.Record(&taxonomy.Evidence{Text: "six"}), "what is short enough still fits")
}

// One failure over and over does not fill the record; the count is of the facts and the normalised
// text.
func TestRecordOfRepeats(t *testing.T) {
	r, path := openRecord(t, detect.RecordOptions{})
	for i := range 30 {
		require.NoError(t, r.Record(&taxonomy.Evidence{Source: "cli", Text: fmt.Sprintf("lost %d files", i)}))
	}
	assert.Len(t, entries(t, path), 20)
	for _, ev := range []taxonomy.Evidence{
		{Source: "git", Text: "lost 1 files"}, {Source: "cli", Text: "lost 1 file"},
		{Source: "cli", Status: 500, Text: "lost 1 files"},
		{Source: "cli", ExitCode: taxonomy.Some(0), Text: "lost 1 files"},
		{Source: "cli", Err: errors.New("lost 1 thing")},
	} {
		require.NoError(t, r.Record(&ev))
	}
	assert.Len(t, entries(t, path), 25)
}

func TestRecordAppendsAfterReopening(t *testing.T) {
	tests := map[string]struct {
		before, want string
	}{
		"an empty file": {"", `{"time":"2026-01-02T12:00:00Z","evidence":{"text":"new"}}` + "\n"},
		"whole lines": {"old\n", "old\n" + `{"time":"2026-01-02T12:00:00Z","evidence":{"text":"new"}}` +
			"\n"},
		"a line cut by a crash": {`{"time":"20`, `{"time":"20` + "\n" +
			`{"time":"2026-01-02T12:00:00Z","evidence":{"text":"new"}}` + "\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r")
			require.NoError(t, os.WriteFile(path, []byte(tt.before), 0o600))
			r, err := detect.OpenRecord(path, detect.RecordOptions{Now: clock})
			require.NoError(t, err)
			require.NoError(t, r.Record(&taxonomy.Evidence{Text: "new"}))
			require.NoError(t, r.Close())
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(b))
		})
	}
}

func TestOpenRecordRefuses(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("file"), nil, 0o600))
	require.NoError(t, os.Symlink("file", at("link")))
	require.NoError(t, os.Symlink("nowhere", at("dangling")))
	tests := map[string]string{
		dir:             "is not a regular file",
		at("link"):      "is not a regular file",
		at("dangling"):  "is not a regular file",
		os.DevNull:      "is not a regular file",
		at("no/record"): "no such file or directory",
	}
	for path, want := range tests {
		r, err := detect.OpenRecord(path, detect.RecordOptions{})
		assert.ErrorContains(t, err, want)
		assert.Nil(t, r)
	}
	assert.NoFileExists(t, at("nowhere"))
}

// Several goroutines with separate records share a file, as several processes do.
func TestRecordShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	var wg sync.WaitGroup
	for w := range 4 {
		r, err := detect.OpenRecord(path, detect.RecordOptions{})
		require.NoError(t, err)
		defer func() { _ = r.Close() }()
		for g := range 2 {
			wg.Go(func() {
				for i := range 50 {
					text := string(rune('k'+w)) + string(rune('p'+g)) + strings.Repeat("x", i)
					assert.NoError(t, r.Record(&taxonomy.Evidence{Source: "s", Text: text}))
				}
			})
		}
	}
	wg.Wait()
	assert.Len(t, entries(t, path), 400)
}

func TestRecordBoundsEntries(t *testing.T) {
	long := strings.Repeat("ä\x00\"", 5000)
	many := make(map[string]string)
	for i := range 1000 {
		many[fmt.Sprintf("name-%04d", i)] = long
	}
	r, path := openRecord(t, detect.RecordOptions{})
	ev := taxonomy.Evidence{Source: long, Type: long, Text: strings.Repeat(long, 1000), Attributes: many,
		Files: strings.Split(long, "\x00")}
	before := ev
	require.NoError(t, r.Record(&ev))
	assert.Equal(t, before, ev)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(400<<10))
	assert.Len(t, entries(t, path), 1)
}

// Of a long text the beginning, which groups it, and the end, which rules search, are kept.
func TestRecordKeepsBothEnds(t *testing.T) {
	r, path := openRecord(t, detect.RecordOptions{})
	secret := "sk-ant-api03-" + strings.Repeat("Ab3", 30)
	text := "first " + strings.Repeat(secret+" and so on, ", 1<<14) + " last"
	require.NoError(t, r.Record(&taxonomy.Evidence{Text: text}))
	got := entries(t, path)[0].Evidence.Text
	assert.True(t, strings.HasPrefix(got, "first [REDACTED] and so on, "), got)
	assert.True(t, strings.HasSuffix(got, " last"), got)
	assert.Contains(t, got, "…\n…")
	assert.NotContains(t, got, "Ab3")
	assert.Greater(t, len(got), 500)
}

type panicking struct{}

func (panicking) Error() string { panic("no") }

func TestRecordOfAnErrorThatPanics(t *testing.T) {
	r, path := openRecord(t, detect.RecordOptions{})
	require.NoError(t, r.Record(&taxonomy.Evidence{Err: panicking{}}))
	assert.Equal(t, "(detect_test.panicking panics when asked for its text)", entries(t, path)[0].Evidence.Text)
}

func TestRecordMasksAttributesByTheirWholeNames(t *testing.T) {
	for _, name := range []string{"authorization", "client_secret_key", "password", "set-cookie",
		strings.Repeat("x", 300) + "-password"} {
		r, path := openRecord(t, detect.RecordOptions{})
		require.NoError(t, r.Record(&taxonomy.Evidence{Attributes: map[string]string{name: "hunter"}}))
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.NotContains(t, string(b), "hunter", "%.40s", name)
	}
}
