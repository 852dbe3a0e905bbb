package cli

import (
	"bytes"
	"cmp"
	_ "embed"
	"flag"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"
)

// command is a subcommand. Its arguments, its summary and its description are in help.txt.
type command struct {
	name  string
	min   int // minimum number of positional arguments
	max   int // maximum number; negative is unlimited
	flags func(fs *flag.FlagSet, o *options)
	run   func(s *session, o *options, args []string) error

	args, summary, details string
}

// commands returns the subcommands, in the order of help.
func commands() []*command {
	list := []*command{
		{name: "generate", max: -1, flags: outputFlags, run: (*session).generate},
		{name: "check", max: -1, flags: checkFlags, run: (*session).check},
		{name: "lint", max: -1, flags: findingFlags, run: (*session).lint},
		{name: "schema", max: 1, run: (*session).schema},
		{name: "init", max: 1, flags: initFlags, run: (*session).init},
		{name: "explain", min: 1, max: 3, flags: textOrJSON, run: (*session).explain},
		{name: "list", max: 1, flags: textOrJSON, run: (*session).list},
		{name: "classify", max: 1, flags: classifyFlags, run: (*session).classify},
		{name: "triage", max: -1, flags: triageFlags, run: (*session).triage},
		{name: "suggest", min: 1, max: -1, flags: suggestFlags, run: (*session).suggest},
		{name: "signatures", max: 1, flags: signaturesFlags, run: (*session).signatures},
		{name: "breaking", max: 1, flags: breakingFlags, run: (*session).breaking},
		{name: "diff", min: 1, max: 2, flags: diffFlags, run: (*session).diff},
		{name: "docs", max: 1, flags: docsFlags, run: (*session).make},
		{name: "typescript", max: 1, flags: typescriptFlags, run: (*session).make},
		{name: "openapi", max: 1, flags: openapiFlags, run: (*session).make},
		{name: "slo", max: 1, flags: sloFlags, run: (*session).make},
		{name: "messages", min: 1, max: 2, flags: findingFlags, run: (*session).messages},
		{name: "import", min: 2, max: 2, flags: importFlags, run: (*session).importTable},
		{name: "unused", max: -1, flags: unusedFlags, run: (*session).unused},
		{name: "version", run: (*session).version},
	}
	for _, section := range strings.Split(helpText, "\n-- ")[1:] {
		title, text, _ := strings.Cut(section, " --\n")
		name, args, _ := strings.Cut(title, " ")
		c := list[slices.IndexFunc(list, func(c *command) bool { return c.name == name })]
		c.args = args
		c.summary, c.details, _ = strings.Cut(text, "\n")
	}
	return list
}

//go:embed help.txt
var helpText string

func commandNames() []string {
	names := []string{"help"}
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// commandNamed returns a command, or nil.
func commandNamed(name string) *command {
	list := commands()
	if i := slices.IndexFunc(list, func(c *command) bool { return c.name == name }); i >= 0 {
		return list[i]
	}
	return nil
}

func (s *session) help(args []string) error {
	if len(args) == 0 || args[0] == "help" {
		overview, _, _ := strings.Cut(helpText, "\n-- ")
		var b strings.Builder
		for _, c := range append(commands(), &command{name: "help", summary: "print the help of a command"}) {
			fmt.Fprintf(&b, "  %-10s %s\n", c.name, c.summary)
		}
		return s.printf("%s", strings.Replace(overview, "{commands}\n", b.String(), 1))
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

func (s *session) version(*options, []string) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return s.printf("errgen %s (%s)\n", cmp.Or(info.Main.Version, "(devel)"), info.GoVersion)
}
