package verify

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
)

// Headings returns the level and the text of each heading.
func Headings(data []byte) []string {
	var out []string
	for _, h := range headings(data) {
		out = append(out, fmt.Sprintf("%d %s", h.level, h.text))
	}
	return out
}

// Malformed says why data are not of a format.
func Malformed(ctx context.Context, format string, data []byte) error {
	return malformed(ctx, format, data)
}

// ReadLate reads a file of a tree with a context that has ended: as a whole, and rune by rune.
func ReadLate(ctx context.Context, dir, name string) (whole, runes error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err, err
	}
	defer root.Close()
	_, whole = contents(ctx, root, name, 1<<20)
	text := &polled{Reader: bufio.NewReader(strings.NewReader(strings.Repeat("a", 5000))), ctx: ctx}
	for err == nil {
		_, _, err = text.ReadRune()
	}
	return whole, text.err
}
