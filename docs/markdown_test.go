package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// block is a fenced block of a page.
type block struct {
	info   string // what follows the fence: "yaml complete"
	text   string
	line   int
	indent string // of the fence
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(b)
}

func blocks(page string) []block {
	var out []block
	var open *block
	ticks := ""
	for i, line := range strings.Split(page, "\n") {
		text := strings.TrimLeft(line, " ")
		info := strings.TrimLeft(text, "`")
		fence := text[:len(text)-len(info)]
		switch {
		case open == nil && len(fence) >= 3:
			open, ticks = &block{info: info, line: i + 1, indent: line[:len(line)-len(text)]}, fence
		case open != nil && fence == ticks && info == "":
			out = append(out, *open)
			open = nil
		case open != nil:
			open.text += strings.TrimPrefix(line, open.indent) + "\n"
		}
	}
	return out
}

// prose returns the page without its fenced blocks.
func prose(page string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if !fenced {
			b.WriteString(line)
		}
	}
	return b.String()
}

// anchors returns what a link into the page can point to.
func anchors(page string) map[string]bool {
	drop := regexp.MustCompile(`[^a-z0-9 _-]`)
	out := map[string]bool{}
	for line := range strings.SplitSeq(page, "\n") {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			out[strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ",
				"-")] = true
		}
	}
	return out
}

func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pages, err := filepath.Glob("*.md")
	require.NoError(t, err)
	above, err := filepath.Glob("../*.md")
	require.NoError(t, err)
	for _, name := range append(pages, above...) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			page := read(t, name)
			for _, m := range link.FindAllStringSubmatch(prose(page), -1) {
				checkLink(t, name, page, m[1])
			}
		})
	}
}

func checkLink(t *testing.T, name, page, target string) {
	t.Helper()
	if strings.Contains(target, "://") {
		return
	}
	file, anchor, _ := strings.Cut(target, "#")
	if file != "" {
		file = filepath.Join(filepath.Dir(name), file)
		if _, err := os.Stat(file); err != nil {
			t.Errorf("link to %s: %v", target, err)
			return
		}
	}
	if anchor == "" {
		return
	}
	if file != "" {
		page = read(t, file)
	}
	if !anchors(page)[anchor] {
		t.Errorf("link to %s: no such heading", target)
	}
}

// A page with more words is two pages.
func TestPageLength(t *testing.T) {
	for _, name := range pages(t) {
		assert.LessOrEqual(t, len(strings.Fields(read(t, name))), 3000, name)
	}
}
