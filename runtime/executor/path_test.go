package executor

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile are paths that a file system may have.
var hostile = []string{
	"a.txt", "-n", "new\nline", `"quoted"`, `"\xff"`, "it's", `back\slash`, "bad\xff\xfe", "\x80", "é", "tab\t", "<&>",
	"\u2028", "\ufffd", "",
}

// TestPathsAreKept shows that every byte of a path comes back from JSON, in whatever it is kept.
func TestPathsAreKept(t *testing.T) {
	var changes []Change
	for _, p := range hostile {
		changes = append(changes, Change{Path: p, Kind: Added, Ignored: true, Hash: "h"})
	}
	e := Entry{
		Point: PointClosed, At: time.Unix(1, 0).UTC(), Approved: changes,
		Judged: &Judged{Changes: changes, Verdicts: []Verdict{Allowed}, Revert: changes,
			Errors: []ErrorRecord{{Op: "call", Message: "m", Files: hostile}}},
		Committing: &Committing{Paths: hostile, Checked: "c", Message: "m"},
		Committed:  &CommitDone{ID: "id", Paths: hostile},
		Closed: &Closed{Failures: 2, Pending: hostile, Added: hostile, Uncommitted: hostile, Unchecked: hostile,
			Changed: hostile, LastError: &ErrorRecord{Files: hostile}},
		Ended: &Result{Run: "r", CommittedFiles: hostile, UncommittedFiles: hostile, UncheckedFiles: hostile,
			Commits: []CommitDone{{ID: "id", Paths: hostile}},
			Errors:  []ErrorRecord{{Files: hostile}}},
	}
	b, err := json.Marshal(e)
	require.NoError(t, err)
	var got Entry
	require.NoError(t, json.Unmarshal(b, &got))
	assert.Equal(t, e, got)
}

func TestPathsAreWrittenPlainly(t *testing.T) {
	b, err := json.Marshal(Change{Path: "src/é.txt", Kind: Removed})
	require.NoError(t, err)
	assert.JSONEq(t, `{"path":"src/é.txt","kind":"removed"}`, string(b))
	b, err = json.Marshal(CommitDone{ID: "1"})
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"1","paths":null}`, string(b))
}

// TestNoPathIsForgotten fails when a list of paths is added to what is kept, and is not written as
// one.
func TestNoPathIsForgotten(t *testing.T) {
	known := map[string]bool{
		"Committing.Paths": true, "CommitDone.Paths": true, "Closed.Pending": true, "Closed.Added": true,
		"Closed.Uncommitted": true,
		"Closed.Unchecked":   true, "Closed.Changed": true, "ErrorRecord.Files": true, "Result.CommittedFiles": true,
		"Result.UncommittedFiles": true,
		"Result.UncheckedFiles":   true,
		// These are no paths.
		"Result.SavedRefs": true, "Result.Warnings": true,
	}
	for _, v := range []any{Entry{}, Begun{}, Started{}, Answered{}, Judged{}, Committing{}, CommitDone{}, Closed{},
		ErrorRecord{}, Feedback{}, Result{}} {
		typ := reflect.TypeOf(v)
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Type == reflect.TypeFor[[]string]() {
				assert.True(t, known[typ.Name()+"."+f.Name], "%s.%s", typ.Name(), f.Name)
			}
		}
	}
}

func FuzzPathsAreKept(f *testing.F) {
	for _, p := range hostile {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		b, err := json.Marshal(Change{Path: p})
		require.NoError(t, err)
		var got Change
		require.NoError(t, json.Unmarshal(b, &got))
		assert.Equal(t, p, got.Path)
	})
}
