// Reactiontable writes what is done about each code of the shipped taxonomy into a Markdown page,
// between the lines <!-- reactions --> and <!-- /reactions -->.
//
// Usage:
//
//	reactiontable [-check] page.md
//
// With -check it changes nothing and exits with 1 when the page is not what it would write.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/errgen/errgen/gen/errs"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stderr))
}

func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("reactiontable", flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.Bool("check", false, "say whether the page is up to date, and change nothing")
	if err := flags.Parse(args); err != nil || flags.NArg() != 1 {
		_, _ = fmt.Fprintln(stderr, "usage: reactiontable [-check] page.md")
		return 2
	}
	name := flags.Arg(0)
	page, err := os.ReadFile(name)
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "reactiontable: %v\n", err)
		return 2
	}
	want, err := replaced(page, section(errs.Table))
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "reactiontable: %s: %v\n", name, err)
		return 2
	}
	switch {
	case bytes.Equal(page, want):
		return 0
	case *check:
		_, _ = fmt.Fprintf(stderr, "reactiontable: %s is stale; run make generate\n", name)
		return 1
	}
	if err := os.WriteFile(name, want, 0o644); err != nil {
		_, _ = fmt.Fprintf(stderr, "reactiontable: %v\n", err)
		return 2
	}
	return 0
}

const (
	begin = "<!-- reactions -->\n"
	end   = "<!-- /reactions -->\n"
)

// replaced returns the page with the section between the marks.
func replaced(page []byte, section string) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(begin))
	if !ok {
		return nil, errors.New("no line <!-- reactions -->")
	}
	_, after, ok := bytes.Cut(rest, []byte(end))
	if !ok {
		return nil, errors.New("no line <!-- /reactions --> after <!-- reactions -->")
	}
	return bytes.Join([][]byte{before, []byte(begin), []byte(section), []byte(end), after}, nil), nil
}
