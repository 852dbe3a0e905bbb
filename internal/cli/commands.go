package cli

import "flag"

// command is a subcommand.
type command struct {
	name    string
	args    string // what may follow the name
	summary string // in a list of commands
	details string // in its own help
	min     int    // how many positional arguments it needs
	max     int    // how many it takes; negative is any number
	flags   func(fs *flag.FlagSet, o *options)
	run     func(s *session, o *options, args []string) error
}

func (c *command) title() string {
	if c == nil {
		return ""
	}
	return c.name
}

// commands returns the subcommands, in the order of help.
func commands() []*command {
	return []*command{
		generateCommand(), checkCommand(), lintCommand(), schemaCommand(), initCommand(),
		explainCommand(), listCommand(), classifyCommand(), suggestCommand(), breakingCommand(), versionCommand(),
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
