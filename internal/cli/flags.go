package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/importer"
	"github.com/errgen/errgen/runtime/detect/triage"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// options are the values of all flags of all commands.
type options struct {
	dir     string // "" is the taxonomy's package
	tests   bool
	strict  bool
	quiet   bool
	diff    bool
	verbose bool
	service bool
	agent   bool
	format  diag.Format
	readers string // -audience
	// formerURLs are earlier values of help_url.
	formerURLs []string
	also       []string // paths of files that docs, typescript, openapi or slo wrote

	taxonomy string
	profile  string // "" is the default one
	evidence taxonomy.Evidence
	text     *string // in place of standard input, unless nil
	least    int
	outcome  triage.Outcome // of the job
	record   string

	signatures bool // in place of a taxonomy

	against string         // the released taxonomy
	release string         // the version for which breaking compares
	levels  breaking.Level // that are printed; 0 is all

	consumers []string // patterns of files
	except    []string // ids of changes that are not printed
	accept    string   // the reason of the entries to write
	until     string

	table importer.Options
	into  string // the OpenAPI document to edit
	check bool   // report whether it would change

	objective  float64            // in percent
	objectives map[string]float64 // of operations

	names string // the file with the names of parameters
}

// choice defines -format.
func (o *options) choice(fs *flag.FlagSet, usage string, allowed ...diag.Format) {
	o.format = allowed[0]
	fs.Func("format", usage, func(value string) error {
		if !slices.Contains(allowed, diag.Format(value)) {
			return fmt.Errorf("it must be %s", orList(allowed))
		}
		o.format = diag.Format(value)
		return nil
	})
}

func outputFlags(fs *flag.FlagSet, o *options) {
	directoryFlag(fs, o, "write to `DIR`, not to a directory named like the package beside the taxonomy")
	fs.BoolVar(&o.tests, "tests", true, "generate the package's tests too")
	audienceFlag(fs, o, internal)
	fs.BoolVar(&o.verbose, "v", false, "print a line for each file")
	findingFlags(fs, o)
}

func directoryFlag(fs *flag.FlagSet, o *options, usage string) {
	fs.Func("o", usage, func(dir string) error {
		if dir == "" {
			return errors.New("it must name a directory; the current one is \".\"")
		}
		o.dir = dir
		return nil
	})
}

func findingFlags(fs *flag.FlagSet, o *options) {
	fs.BoolVar(&o.strict, "strict", false, "treat warnings as errors")
	fs.BoolVar(&o.quiet, "q", false, "print errors only")
	findingFormats(fs, o)
}

func findingFormats(fs *flag.FlagSet, o *options) {
	o.choice(fs, "print findings as `FORM`: text, json (one object a line), github (annotations) or sarif (2.1.0)",
		diag.FormatText, diag.FormatJSON, diag.FormatGitHub, diag.FormatSARIF)
}

// flagSet returns the flags of a command and the options that they fill.
func (c *command) flagSet() (*flag.FlagSet, *options) {
	o := &options{format: diag.FormatText}
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	if c.flags != nil {
		c.flags(fs, o)
	}
	return fs, o
}

// run runs the session's command.
func (s *session) run(args []string) error {
	fs, o := s.cmd.flagSet()
	positional, err := parse(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return s.write(s.cmd.help())
	case err != nil:
		return err
	case len(positional) < s.cmd.min:
		return usagef("%s needs %s", s.cmd.name, s.cmd.args)
	case s.cmd.max >= 0 && len(positional) > s.cmd.max:
		return usagef("%s: unexpected argument %q", s.cmd.name, positional[s.cmd.max])
	}
	err = s.cmd.run(s, o, positional)
	if o.format == diag.FormatSARIF && s.cmd.name != "triage" && (err == nil || errors.Is(err, errFindings)) {
		if err := diag.Print(s.Stdout, o.format, diag.FromRoot(s.path("."), s.logged...)...); err != nil {
			return err
		}
	}
	return err
}

// parse reads flags before, between and after other arguments, which it returns. Arguments after
// "--" are never flags.
func parse(fs *flag.FlagSet, args []string) ([]string, error) {
	var positional []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, flagError(fs, err)
		}
		rest := fs.Args()
		if len(rest) == 0 {
			return positional, nil
		}
		if read := len(args) - len(rest); read > 0 && args[read-1] == "--" {
			return append(positional, rest...), nil
		}
		positional = append(positional, rest[0])
		args = rest[1:]
	}
}

const undefinedFlag = "flag provided but not defined: -"

// flagError rewrites an error of package flag in the form of errgen's errors.
func flagError(fs *flag.FlagSet, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	name, undefined := strings.CutPrefix(err.Error(), undefinedFlag)
	if !undefined {
		return usagef("%s: %v", fs.Name(), err)
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if near := diag.Nearest(name, names); near != "" {
		return usagef("%s: unknown flag -%s; did you mean \"-%s\"?", fs.Name(), name, near)
	}
	return usagef("%s: unknown flag -%s", fs.Name(), name)
}

func orList[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
