package toolbox

import (
	"cmp"
	"context"
)

// Allows reports whether the policy allows a command line.
func Allows(t *Toolbox, line string) bool {
	argv, err := split(line, operators)
	return err == nil && t.allowed(argv)
}

// Unwritten is what becomes of an error of the file system.
func Unwritten(t *Toolbox, err error) (Result, error) {
	return t.change(context.Background(), "write", "a", func(string) (string, error) { return "", err })
}

// Split splits a command line.
func Split(line string) ([]string, error) { return split(line, operators) }

// Shrink changes the limits of a toolbox. A value of 0 leaves its limit unchanged.
func (t *Toolbox) Shrink(read, file, output, entries, visit, search int) {
	l := &t.limits
	l.read, l.file, l.output = cmp.Or(read, l.read), cmp.Or(file, l.file), cmp.Or(output, l.output)
	l.entries, l.visit, l.search = cmp.Or(entries, l.entries), cmp.Or(visit, l.visit), cmp.Or(search, l.search)
}
