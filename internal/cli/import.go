package cli

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/importer"
	"github.com/errgen/errgen/internal/output"
	"github.com/errgen/errgen/internal/spec"
)

func importFlags(fs *flag.FlagSet, o *options) {
	fileFlag(fs, o, "write or update the taxonomy `FILE`")
	fs.BoolVar(&o.verbose, "v", false, "list all codes of a remark")
	fs.StringVar(&o.table.Package, "package", "", "`NAME` of the package, if the taxonomy is new")
	fs.StringVar(&o.names, "names", "",
		"take names of printf arguments from this YAML `FILE`: CODE: [name, ...]")
	fs.Func("map", "read json and csv with these `COLUMNS`: code=name,message=text", func(value string) error {
		columns, err := importer.ParseColumns(value)
		o.table.Columns = columns
		return err
	})
	fs.Func("params", "find parameters of these `FORMS` in messages: printf, braces, angles or none",
		o.setParams)
}

func (o *options) setParams(value string) error {
	o.table.Params = []string{}
	for form := range strings.SplitSeq(value, ",") {
		switch form {
		case "printf", "braces", "angles":
			o.table.Params = append(o.table.Params, form)
		case "none":
		default:
			return fmt.Errorf("unknown form %q: use printf, braces, angles or none", form)
		}
	}
	return nil
}

func (s *session) importTable(o *options, args []string) error {
	format, file := args[0], args[1]
	if !slices.Contains(importer.Formats(), format) {
		hint := cmp.Or(suggestion(format, importer.Formats()),
			"; the formats are "+strings.Join(importer.Formats(), ", "))
		return usagef("import: unknown format %q%s", format, hint)
	}
	src, err := s.readFile(file)
	if err != nil {
		return fmt.Errorf("read table: %s: %w", file, cause(err))
	}
	if o.names != "" {
		if o.table.Names, err = s.parameterNames(o.names); err != nil {
			return fmt.Errorf("read names of parameters: %s: %w", o.names, cause(err))
		}
	}
	old, exists := []byte(nil), false
	if o.dir != "" {
		old, err = os.ReadFile(s.path(o.dir))
		if exists = err == nil; !exists && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read taxonomy: %s: %w", o.dir, cause(err))
		}
	}
	if exists {
		tree, _ := spec.Parse(o.dir, old)
		o.table.NumbersPerCategory = tree.Numbers.V == "per_category"
	}
	table, err := importer.Read(format, src, o.table)
	if err != nil {
		return fmt.Errorf("import: %s: %w", file, err)
	}
	text, changes := []byte(nil), importer.Notes(nil)
	if !exists {
		text = table.New()
	} else if text, changes, err = table.Update(o.dir, old); err != nil {
		return fmt.Errorf("import: %s: %w", o.dir, err)
	}
	if o.dir == "" {
		s.notes(table.Notes, o)
		return errors.Join(s.write(text), s.imported(file, text))
	}
	if !bytes.Equal(text, old) {
		if err := output.Replace(s.path(o.dir), text); err != nil {
			return fmt.Errorf("write taxonomy: %s: %w", o.dir, cause(err))
		}
	}
	s.notes(slices.Concat(changes, table.Notes), o)
	return s.imported(o.dir, text)
}

// imported prints the errors of a written taxonomy, such as references to a removed code.
func (s *session) imported(name string, text []byte) error {
	_, findings := check.Load(name, text)
	if !diag.HasErrors(findings) {
		return nil
	}
	return s.faults(diag.NewSource(name, text), findings)
}

// parameterNames reads names of parameters by code.
func (s *session) parameterNames(name string) (names map[string][]string, err error) {
	src, err := s.readFile(name)
	if err != nil {
		return nil, err
	}
	return names, yaml.Unmarshal(src, &names)
}

// maxListed is the number of codes that a note lists, without -v.
const maxListed = 5

// notes prints the changes of an update, and the parts of the table that were left out.
func (s *session) notes(notes importer.Notes, o *options) {
	for _, n := range notes {
		shown, more := n.Codes, ""
		if !o.verbose && len(shown) > maxListed {
			shown, more = shown[:maxListed], fmt.Sprintf(" and %d more", len(shown)-maxListed)
		}
		s.note("%s: %s%s", n.What, diag.Printable(strings.Join(shown, ", ")), more)
	}
}
