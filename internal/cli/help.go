package cli

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
	"text/tabwriter"
)

// command is a subcommand.
type command struct {
	name    string
	args    string // positional arguments, for its help
	summary string // in the list of commands
	details string // in its help
	min     int    // minimum number of positional arguments
	max     int    // maximum number; negative is unlimited
	flags   func(fs *flag.FlagSet, o *options)
	run     func(s *session, o *options, args []string) error
}

// commands returns the subcommands, in the order of help.
func commands() []*command {
	return []*command{
		generateCommand(), checkCommand(), lintCommand(), schemaCommand(), initCommand(),
		explainCommand(), listCommand(), classifyCommand(), suggestCommand(), signaturesCommand(), breakingCommand(),
		diffCommand(), docsCommand(), typescriptCommand(), openapiCommand(), importCommand(), unusedCommand(),
		versionCommand(),
	}
}

func commandNames() []string {
	names := []string{"help"}
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

func commandNamed(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return c
		}
	}
	return nil
}

const overview = `errgen generates a Go package from an error taxonomy: typed errors, their JSON, reactions and tests.

usage: errgen [command] [flags] [arguments]

`

const overviewEnd = `
The default command is generate. The default file is taxonomy.yaml of the current directory; "-" is standard
input, which counts as a taxonomy.yaml of the current directory.

exit status: 0 success (warnings are printed), 1 findings or differences, 2 wrong usage, or a failure to read or write.
Run "errgen help COMMAND" for the flags of a command.
`

func (s *session) help(args []string) error {
	if len(args) == 0 || args[0] == "help" {
		var b bytes.Buffer
		b.WriteString(overview)
		for _, c := range commands() {
			fmt.Fprintf(&b, "  %-10s %s\n", c.name, c.summary)
		}
		fmt.Fprintf(&b, "  %-10s %s\n%s", "help", "print the help of a command", overviewEnd)
		return s.write(b.Bytes())
	}
	c := commandNamed(args[0])
	if c == nil {
		return usagef("help: unknown command %q%s", args[0], suggestion(args[0], commandNames()))
	}
	return s.write(c.help())
}

// help returns the usage of a command, and its flags with their values, aligned.
func (c *command) help() []byte {
	var flags bytes.Buffer
	w := tabwriter.NewWriter(&flags, 17, 0, 1, ' ', 0)
	fs, _ := c.flagSet()
	fs.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		name := strings.TrimSpace("-" + f.Name + " " + value)
		if f.DefValue == "true" {
			name, usage = "-"+f.Name+"=false", usage+" (default true)"
		}
		_, _ = fmt.Fprintf(w, "  %s\t%s\n", name, usage) // a buffer accepts everything
	})
	_ = w.Flush()
	usage, heading := "errgen "+c.name, ""
	if flags.Len() > 0 {
		usage, heading = usage+" [flags]", "\nflags:\n"
	}
	usage = strings.TrimSpace(usage + " " + c.args)
	return fmt.Appendf(nil, "usage: %s\n\n%s\n%s%s", usage, strings.TrimSpace(c.details), heading, flags.Bytes())
}
