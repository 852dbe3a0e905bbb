package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const twoCategories = `errgen: 1
package: errs
categories:
  user: {doc: Users., codes: {A_CODE: {doc: A code., message: a}}}
  team: {doc: Teams., codes: {B_CODE: {doc: A code., message: b}}}
`

// together starts n simultaneous runs of generate in dir, kills those that kill selects, and waits
// for all. It returns the names of the files afterwards.
func together(t *testing.T, dir string, n int, kill func(i int) bool) []string {
	t.Helper()
	runs := make([]*exec.Cmd, n)
	said := make([]bytes.Buffer, n)
	for i := range runs {
		runs[i] = exec.Command("errgen", "generate")
		runs[i].Dir, runs[i].Stderr = dir, &said[i]
		require.NoError(t, runs[i].Start())
	}
	for i, run := range runs {
		if kill(i) {
			_ = run.Process.Kill() // it may have ended already
		}
	}
	for i, run := range runs {
		if err := run.Wait(); !kill(i) {
			assert.NoError(t, err, said[i].String())
		}
	}
	return listing(t, filepath.Join(dir, "errs"))
}

func listing(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func newProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "taxonomy.yaml"), []byte(twoCategories), 0o644))
	return dir
}

// Runs at the same time into a directory that does not exist: each that says it went well has all
// its files there.
func TestGenerateTogether(t *testing.T) {
	never := func(int) bool { return false }
	want := together(t, newProject(t), 1, never)
	require.NotEmpty(t, want)
	for range 10 {
		require.Equal(t, want, together(t, newProject(t), 8, never))
	}
}

// A run that is killed keeps no other from its work, and the next run removes what it left.
func TestGenerateTogetherAndKilled(t *testing.T) {
	never := func(int) bool { return false }
	want := together(t, newProject(t), 1, never)
	for range 3 {
		dir := newProject(t)
		together(t, dir, 8, func(i int) bool { return i%3 == 0 })
		require.NoError(t, os.Remove(filepath.Join(dir, "errs", want[0])))
		require.Equal(t, want, together(t, dir, 2, never))
	}
}
