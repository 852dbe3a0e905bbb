package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A line is about errors if it names a package of errgen, a code, package errors, or a variable that
// exists only for errors. Imports, comments, and lines that only return an error do not count.
var (
	aboutErrors = regexp.MustCompile(`\b(errs|errors|taxonomy|problem|rpc|grpcerr|report|promreport|retry|breaker|` +
		`detect|queue|dberr|pgxerr|httpcall|negotiate|messages)\.[A-Z]|go:generate go tool errgen|` +
		`\b(failed|requests|classified|states|intercept|sink|options|languages)\b|iolation|\bcheck(\(| :=)`)
	parts = []struct {
		name  string
		lines *regexp.Regexp
	}{
		{"validation", regexp.MustCompile(`iolation|\bcheck(\(| :=)`)},
		{"languages", regexp.MustCompile(`languages|negotiate|messages\.`)},
		{"client", regexp.MustCompile(`client/errs`)},
	}
)

// TestGlue counts the lines of the service, and of its client, that are about errors and that no tool
// generates. OpenAPI and TypeScript need none.
func TestGlue(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	clients, err := filepath.Glob("client/*.go")
	require.NoError(t, err)
	counts := map[string]int{}
	for _, name := range append(files, clients...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(b)) {
			code, _, _ := strings.Cut(strings.ReplaceAll(line, "//go:", "go:"), "//")
			if !aboutErrors.MatchString(code) || strings.HasPrefix(code, "\t\"") {
				continue
			}
			part := "core"
			if strings.HasPrefix(name, "client/") {
				part = "client"
			}
			for _, p := range parts {
				if p.lines.MatchString(code) {
					part = p.name
				}
			}
			counts[part]++
		}
	}
	assert.Equal(t, map[string]int{"core": 40, "validation": 10, "languages": 3, "client": 3}, counts,
		"docs/services.md has these numbers")
}
