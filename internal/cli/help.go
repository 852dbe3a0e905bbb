package cli

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
)

const overview = `errgen makes a Go package of an error taxonomy: typed errors, JSON both ways, reactions, tests.

usage: errgen [command] [flags] [arguments]

`

const overviewEnd = `
Without a command errgen generates. Without a file it takes taxonomy.yaml of the current directory; "-" is
standard input, which counts as a taxonomy.yaml of the current directory.

exit status: 0 all is well (warnings are printed), 1 findings or drift, 2 wrong usage or failed reading or writing.
Run "errgen help COMMAND" for the flags of a command.
`

func (s *session) help(args []string) error {
	if len(args) == 0 || args[0] == "help" {
		return s.write(allHelp())
	}
	c := commandNamed(args[0])
	if c == nil {
		return usagef("help: unknown command %q%s", args[0], suggestion(args[0], commandNames()))
	}
	return s.write(c.help())
}

func allHelp() []byte {
	var b bytes.Buffer
	b.WriteString(overview)
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprintf(&b, "  %-10s %s\n", "help", "say how a command is used")
	b.WriteString(overviewEnd)
	return b.Bytes()
}

func (c *command) help() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "usage: %s\n\n%s\n", strings.Join(c.usage(), " "), strings.TrimSpace(c.details))
	b.Write(c.flagHelp())
	return b.Bytes()
}

// flagHelp lists the flags with their values, aligned.
func (c *command) flagHelp() []byte {
	type line struct{ flag, usage string }
	var lines []line
	width := 14
	fs, _ := c.flagSet()
	fs.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		if f.DefValue == "true" {
			value = "=false"
			usage += " (default true)"
		}
		l := line{strings.TrimSpace("-" + join(f.Name, value)), usage}
		width = max(width, len(l.flag))
		lines = append(lines, l)
	})
	var b bytes.Buffer
	for i, l := range lines {
		if i == 0 {
			b.WriteString("\nflags:\n")
		}
		fmt.Fprintf(&b, "  %-*s %s\n", width, l.flag, l.usage)
	}
	return b.Bytes()
}

func join(name, value string) string {
	if strings.HasPrefix(value, "=") {
		return name + value
	}
	return name + " " + value
}

func (c *command) usage() []string {
	words := []string{"errgen", c.name}
	if fs, _ := c.flagSet(); hasFlags(fs) {
		words = append(words, "[flags]")
	}
	if c.args != "" {
		words = append(words, c.args)
	}
	return words
}

func hasFlags(fs *flag.FlagSet) bool {
	any := false
	fs.VisitAll(func(*flag.Flag) { any = true })
	return any
}
