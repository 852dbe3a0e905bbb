package toolbox

// Allows reports whether the policy lets a command line begin.
func Allows(t *Toolbox, line string) bool {
	argv, err := splitWords(line)
	return err == nil && t.allowed(argv)
}

// Unwritten is what is made of an error of the file system.
func Unwritten(t *Toolbox, err error) (Result, error) { return t.unwritten("write", "a", err) }

// Split splits a command line.
func Split(line string) ([]string, error) { return splitWords(line) }

// Join returns words as a command line.
func Join(words []string) string { return commandLine(words) }
