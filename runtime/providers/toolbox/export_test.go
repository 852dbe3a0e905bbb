package toolbox

import "context"

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
