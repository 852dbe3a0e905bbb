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
)

// importOptions are the flags of import.
type importOptions struct {
	importer.Options
	names string // the file with the names of parameters
}

func importCommand() *command {
	var own importOptions
	return &command{
		name: "import", args: "FORMAT FILE", min: 2, max: 2,
		summary: "write a taxonomy for the error table of another project",
		details: `
Import reads an error table and writes a taxonomy to the file that -o names, or to standard output. The formats:

  postgres   src/backend/utils/errcodes.txt
  mongodb    src/mongo/base/error_codes.yml
  spark      error-conditions.json, also of Delta
  tidb       errors.toml of TiDB, PD, TiKV, TiFlow and DM
  nats       server/errors.json
  kafka      Errors.java, or the HTML table of the protocol's errors
  json, csv  any table; -map names the columns: code, number, message, doc, resolution, http, groups, names,
             deprecated, retryable, category, constant.NAME, and for json the place of the rows: rows

If the file exists, it is updated: what the table changed since the last import is changed, and what was edited by
hand is kept. Codes that the table no longer has become reserved; a code that keeps its number under another name
is renamed, with an alias. At the end, import lists what a taxonomy cannot express. See docs/import.md.`,
		flags: func(fs *flag.FlagSet, o *options) {
			own = importOptions{}
			fs.StringVar(&o.dir, "o", "", "write or update the taxonomy `FILE`")
			fs.BoolVar(&o.verbose, "v", false, "list all codes of a remark")
			fs.StringVar(&own.Package, "package", "", "`NAME` of the package, if the taxonomy is new")
			fs.StringVar(&own.names, "names", "",
				"take names of printf arguments from this YAML `FILE`: CODE: [name, ...]")
			fs.Func("map", "read json and csv with these `COLUMNS`: code=name,message=text", func(value string) error {
				columns, err := importer.ParseColumns(value)
				own.Columns = columns
				return err
			})
			fs.Func("params", "find parameters of these `FORMS` in messages: printf, braces, angles or none",
				own.setParams)
		},
		run: func(s *session, o *options, args []string) error { return s.importTable(o, own, args[0], args[1]) },
	}
}

func (o *importOptions) setParams(value string) error {
	o.Params = []string{}
	for form := range strings.SplitSeq(value, ",") {
		switch form {
		case "printf", "braces", "angles":
			o.Params = append(o.Params, form)
		case "none":
		default:
			return fmt.Errorf("unknown form %q: use printf, braces, angles or none", form)
		}
	}
	return nil
}

func (s *session) importTable(o *options, own importOptions, format, file string) error {
	if !slices.Contains(importer.Formats(), format) {
		hint := cmp.Or(suggestion(format, importer.Formats()),
			"; the formats are "+strings.Join(importer.Formats(), ", "))
		return usagef("import: unknown format %q%s", format, hint)
	}
	src, err := s.readFile(file)
	if err != nil {
		return fmt.Errorf("read table: %s: %w", file, cause(err))
	}
	if own.names != "" {
		if own.Names, err = s.parameterNames(own.names); err != nil {
			return fmt.Errorf("read names of parameters: %s: %w", own.names, cause(err))
		}
	}
	table, err := importer.Read(format, src, own.Options)
	if err != nil {
		return fmt.Errorf("import: %s: %w", file, err)
	}
	if o.dir == "" {
		text := table.New()
		s.notes(table, o)
		return errors.Join(s.write(text), s.imported(file, text))
	}
	text, changes := []byte(nil), new(importer.Changes)
	old, err := os.ReadFile(s.path(o.dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = table.New()
	case err != nil:
		return fmt.Errorf("read taxonomy: %s: %w", o.dir, cause(err))
	default:
		if text, changes, err = table.Update(o.dir, old); err != nil {
			return fmt.Errorf("import: %s: %w", o.dir, err)
		}
	}
	if !bytes.Equal(text, old) {
		if err := output.Replace(s.path(o.dir), text); err != nil {
			return fmt.Errorf("write taxonomy: %s: %w", o.dir, cause(err))
		}
	}
	s.changes(changes, o)
	s.notes(table, o)
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

// changes lists what an update did.
func (s *session) changes(c *importer.Changes, o *options) {
	for _, part := range []struct {
		what  string
		codes []string
	}{
		{"added", c.Added}, {"renamed", c.Renamed}, {"removed, now reserved", c.Removed}, {"changed", c.Changed},
		{"changed by the table and by hand, kept", c.Edited},
	} {
		s.listed(part.what, part.codes, o)
	}
}

// notes lists what the taxonomy cannot express.
func (s *session) notes(t *importer.Table, o *options) {
	for _, n := range t.Notes {
		s.listed(n.What, n.Codes, o)
	}
}

// maxListed is the number of codes that a remark lists, without -v.
const maxListed = 5

func (s *session) listed(what string, codes []string, o *options) {
	if len(codes) == 0 {
		return
	}
	shown, more := codes, ""
	if !o.verbose && len(codes) > maxListed {
		shown, more = codes[:maxListed], fmt.Sprintf(" and %d more", len(codes)-maxListed)
	}
	s.note("%s: %s%s", what, diag.Printable(strings.Join(shown, ", ")), more)
}
