// Package rules has a page for every finding that errgen makes about a taxonomy, or about two
// versions of one: the fault, its reason, the fix, and examples of either side. `errgen explain ID`
// prints it.
package rules

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed pages/*.md
var pages embed.FS

const suffix = ".md"

// Page returns the page about a finding as Markdown. Case does not count in the id. A command
// that makes findings of one kind can be named in place of their id.
func Page(id string) (string, bool) {
	if id == "unused" {
		id = "W-unused-code"
	}
	for _, known := range IDs() {
		if strings.EqualFold(id, known) {
			page, err := pages.ReadFile("pages/" + known + suffix)
			return string(page), err == nil
		}
	}
	return "", false
}

// IDs returns the ids that have a page, sorted.
func IDs() []string {
	files, err := fs.Glob(pages, "pages/*"+suffix)
	if err != nil {
		return nil // the pattern is constant and well formed
	}
	ids := make([]string, len(files))
	for i, file := range files {
		ids[i] = strings.TrimSuffix(strings.TrimPrefix(file, "pages/"), suffix)
	}
	slices.Sort(ids)
	return ids
}
