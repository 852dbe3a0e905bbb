package main

import (
	"os"
	"path/filepath"
	"runtime"
)

// journalDir is where runs are remembered: not in the working tree, where the agent is at home.
func (p *program) journalDir() (string, error) {
	if p.journal != "" {
		return filepath.Abs(p.journal)
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "aidf"), nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "aidf"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "aidf"), err
}

// real returns an absolute path without symbolic links, as far as it exists; a link at its end is
// kept.
func real(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	rest := filepath.Base(abs)
	for dir := filepath.Dir(abs); ; dir = filepath.Dir(dir) {
		if found, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(found, rest)
		}
		if dir == filepath.Dir(dir) {
			return abs
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// within reports whether a path is in a directory.
func within(dir, path string) bool { return filepath.IsLocal(relative(dir, path)) }

// relative returns a path as seen from a directory.
func relative(dir, path string) string {
	path = real(path)
	if rel, err := filepath.Rel(real(dir), path); err == nil {
		return rel
	}
	return path
}
