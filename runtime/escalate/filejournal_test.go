package escalate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
)

const aSecret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"

// fullState is a state with something everywhere.
func fullState() *State {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	return &State{
		Version: stateVersion, Plan: "p", Taxonomy: "t", Checked: "d6b0fa19f7e6c4a1e5c1d4c0a9ad83e7a0d4f1b2", Step: 1,
		Turns: 2, Number: 3, Began: at,
		Result: Result{
			Run: "r", Title: "T", Status: executor.StatusBlocked, EndReason: EndQuestion, StartedAt: at,
			EndedAt: at.Add(time.Minute), Calls: 3,
			Steps: []StepResult{{
				ID: "1", State: StepDone, By: "low", Files: []string{"a <b>.txt"}, Commit: "c0",
				Correction: &Correction{By: "middle", Old: "o", New: "n", Why: "w"},
				Attempts: []Attempt{{
					Number: 1, Tier: "low", Role: Execute, Purpose: taxonomy.PurposeAnalysis, Counts: true,
					Kind: taxonomy.Fault, Response: Prevention,
					Findings:  []Finding{{Source: "check", Message: "m"}},
					Diagnosis: &Diagnosis{Verdict: Simple, Cause: "c"}, Took: executor.Duration(time.Second),
				}},
			}, {ID: "2", State: StepRunning}},
			Prerequisites: []Verification{{
				Prerequisite: plan.Prerequisite{Kind: plan.File, Name: "x"}, How: "opened",
				Failed: &taxonomy.Evidence{Source: "plan", Op: "prepare", Type: "not_found", Errno: "ENOENT",
					Files: []string{"x"}, Attributes: map[string]string{"kind": "file"}},
			}},
			Question: &Question{Step: "2", Why: "y", Tried: []Tried{{By: "low", What: "w", Why: "y"}},
				Needed: []string{"n"}},
			Path: []Event{{Kind: Called, At: at, Tier: "low", Role: Execute, Purpose: taxonomy.PurposeDiagnosis,
				FaultKind: taxonomy.Fault}},
		},
		Steps: map[string]string{"1": "f"}, Corrections: map[string]Correction{"1": {By: "b"}},
		TierStreaks: map[string]int{"low": 2},
		Open:        &OpenCall{Number: 3, Tier: "low", Role: Fix, Run: "r-3", Began: at},
		Answers:     map[string][]string{"2": {"try"}},
		Work:        &Work{Role: Fix, Rung: 1, Failed: &Failed{Row: 4, Message: "m"}},
	}
}

func openJournal(t *testing.T, dir string) (Journal, *State) {
	t.Helper()
	j, err := NewFileJournal(dir)
	require.NoError(t, err)
	s, err := j.Open(t.Context(), "r")
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.Close() })
	return j, s
}

func saidIn(t *testing.T, err error) *taxonomy.Evidence {
	t.Helper()
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	require.True(t, ok, "%v", err)
	return ev
}

// What is saved is there, as it was, for the owner only; below git's directory no tier's work
// touches it.
func TestFileJournal(t *testing.T) {
	repo := gitRepo(t)
	tree, err := workspace.Open(t.Context(), repo, workspace.Options{})
	require.NoError(t, err)
	dir := filepath.Join(tree.GitDir(), "errgen", "escalate")
	j, s := openJournal(t, dir)
	assert.Nil(t, s, "it is unknown")
	saved := fullState()
	for range 2 {
		require.NoError(t, j.Save(t.Context(), saved))
	}
	require.NoError(t, j.Close())
	require.NoError(t, j.Close())
	_, got := openJournal(t, dir)
	assert.Equal(t, saved, got)
	if runtime.GOOS != "windows" {
		info, err := os.Stat(filepath.Join(dir, "r.json"))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode())
	}
	checked, err := tree.Begin(t.Context(), "r")
	require.NoError(t, err)
	changes, err := tree.Detect(t.Context(), checked)
	require.NoError(t, err)
	assert.Empty(t, changes)
}

// No secret is on the disk, wherever a text comes from.
func TestFileJournalMasks(t *testing.T) {
	dir := t.TempDir()
	j, _ := openJournal(t, dir)
	s := fullState()
	s.Result.Title, s.Result.Steps[0].Attempts[0].Said, s.Answers["2"] = aSecret, `{"token":"`+aSecret+`"}`,
		[]string{"use " + aSecret}
	s.Result.Prerequisites[0].Failed.Text, s.Work.Failed.Raw = "password=hunter2secret",
		"Authorization: Bearer "+aSecret
	require.NoError(t, j.Save(t.Context(), s))
	b, err := os.ReadFile(filepath.Join(dir, "r.json"))
	require.NoError(t, err)
	assert.NotContains(t, string(b), aSecret)
	assert.NotContains(t, string(b), "hunter2secret")
	require.NoError(t, j.Close())
	_, got := openJournal(t, dir)
	assert.Equal(t, "use [REDACTED]", got.Answers["2"][0])
	assert.Equal(t, s.Checked, got.Checked, "what only looks random stays")
	assert.Equal(t, aSecret, s.Result.Title, "what is saved is not changed")
}

func TestFileJournalRefuses(t *testing.T) {
	good, err := encodeState(fullState())
	require.NoError(t, err)
	changed := func(old, new string) []byte {
		require.Contains(t, string(good), old)
		return []byte(strings.Replace(string(good), old, new, 1))
	}
	newer := fullState()
	newer.Version = 2
	inner, err := encodeState(newer)
	require.NoError(t, err)
	negative := fullState()
	negative.Turns = -1
	less, err := encodeState(negative)
	require.NoError(t, err)
	for _, tt := range []struct {
		name    string
		content []byte
		field   string
	}{
		{"another form", changed(`{"version":1`, `{"version":2`), "version"},
		{"another form of state", inner, "version"},
		{"another run", changed(`"run":"r"`, `"run":"q"`), "run"},
		{"a bit is another one", changed(`"state":"done"`, `"state":"dome"`), "sum"},
		{"cut", good[:len(good)/2], "content"},
		{"empty", nil, "content"},
		{"null", []byte("null"), "version"},
		{"no number", less, "turns"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "r.json")
			require.NoError(t, os.WriteFile(path, tt.content, 0o600))
			j, err := NewFileJournal(dir)
			require.NoError(t, err)
			for range 2 { // it lets go of what it cannot read
				s, err := j.Open(t.Context(), "r")
				assert.Nil(t, s)
				ev := saidIn(t, err)
				assert.Equal(t, []string{"executor", "resume", "refused", tt.field, path},
					[]string{ev.Source, ev.Op, ev.Type, ev.Attribute("field"), ev.Attribute("path")}, ev.Text)
			}
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, len(tt.content), len(b), "nothing is lost")
		})
	}
}

func TestFileJournalMisused(t *testing.T) {
	_, err := NewFileJournal("")
	require.Error(t, err)
	dir := t.TempDir()
	j, err := NewFileJournal(dir)
	require.NoError(t, err)
	for _, name := range []string{"", "../x", "a/b", ".x", strings.Repeat("x", 81)} {
		_, err := j.Open(t.Context(), name)
		assert.Equal(t, "run", saidIn(t, err).Attribute("field"), name)
	}
	s := fullState()
	assert.Equal(t, "state_write", saidIn(t, j.Save(t.Context(), s)).Op, "it is not open")
	_, err = j.Open(t.Context(), "q")
	require.NoError(t, err)
	require.Error(t, j.Save(t.Context(), s), "it is open for another run")
	require.Error(t, j.Save(t.Context(), nil))
	_, err = j.Open(t.Context(), "r")
	require.Error(t, err)
	require.NoError(t, j.Close())

	_, err = j.Open(t.Context(), "r")
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "r.json", "full"), 0o700))
	ev := saidIn(t, j.Save(t.Context(), s))
	assert.Equal(t, []string{"state", "state_write"}, []string{ev.Source, ev.Op})
	require.NoError(t, j.Close())
	_, err = j.Open(t.Context(), "r")
	assert.Equal(t, "resume", saidIn(t, err).Op, "it is no file")
	if runtime.GOOS != "windows" {
		require.NoError(t, os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), filepath.Join(dir, "l.json")))
		_, err = j.Open(t.Context(), "l")
		assert.Equal(t, "resume", saidIn(t, err).Op, "a link leads elsewhere")
	}
}

func init() { children["journal"] = saveOn }

// saveOn saves states of run r in a directory for ever, and says the number of each when it is
// saved.
func saveOn(args []string) error {
	j, err := NewFileJournal(args[0])
	if err != nil {
		return err
	}
	s, err := j.Open(context.Background(), "r")
	if err != nil {
		return err
	}
	if s == nil {
		s = fullState()
	}
	for {
		s.Number++
		s.Result.Title = strings.Repeat("x", 1000*(s.Number%50))
		if err := j.Save(context.Background(), s); err != nil {
			return err
		}
		fmt.Println(s.Number)
	}
}

// A run is one process's at a time; one that is killed while it saves leaves a state that is whole,
// and not older than what it said.
func TestFileJournalOfProcesses(t *testing.T) {
	dir := t.TempDir()
	for range 5 {
		cmd := exec.Command(os.Args[0], dir)
		cmd.Env = append(os.Environ(), child+"=journal")
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines, last := bufio.NewScanner(out), 0
		for n := 0; n < 20 && lines.Scan(); n++ {
			last, err = strconv.Atoi(lines.Text())
			require.NoError(t, err)
		}
		j, err := NewFileJournal(dir)
		require.NoError(t, err)
		_, err = j.Open(t.Context(), "r")
		ev := saidIn(t, err)
		assert.Equal(t, []string{"executor", "lock", strconv.Itoa(cmd.Process.Pid)},
			[]string{ev.Source, ev.Op, ev.Attribute("pid")})
		require.NoError(t, cmd.Process.Kill())
		for lines.Scan() {
			if n, err := strconv.Atoi(lines.Text()); err == nil {
				last = n
			}
		}
		_ = cmd.Wait()
		s, err := j.Open(t.Context(), "r")
		require.NoError(t, err)
		assert.GreaterOrEqual(t, s.Number, last)
		assert.Len(t, s.Result.Title, 1000*(s.Number%50))
		require.NoError(t, j.Close())
	}
}

// Whatever is in a file, reading it ends, and what is read can be saved and is read again.
func FuzzReadState(f *testing.F) {
	good, err := encodeState(fullState())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"version":1,"run":"r","sum":"","state":{}}`))
	f.Add([]byte(`{"version":1,"run":"r","state":null}`))
	f.Add([]byte("\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if json.Valid(b) {
			var compact = maskedTexts(b)
			assert.True(t, json.Valid(compact), "%q", compact)
		}
		// The sum is made to fit, so that what is behind it is reached.
		var file stateFile
		if json.Unmarshal(b, &file) == nil {
			file.Version, file.Run = stateVersion, "r"
			file.Sum = file.sum()
			if fitting, err := json.Marshal(file); err == nil {
				b = fitting
			}
		}
		s, err := decodeState(b, "r")
		if err != nil {
			assert.Nil(t, s)
			_, ok := errors.AsType[*damage](err)
			assert.True(t, ok)
			return
		}
		once, err := encodeState(s)
		require.NoError(t, err)
		again, err := decodeState(once, "r")
		require.NoError(t, err, "%s", once)
		twice, err := encodeState(again)
		require.NoError(t, err)
		assert.Equal(t, string(once), string(twice))
	})
}
