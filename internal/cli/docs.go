package cli

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/catalogue"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/output"
)

const (
	formatHTML     diag.Format = "html"
	formatMarkdown diag.Format = "markdown"
)

func docsCommand() *command {
	return &command{
		name: "docs", args: "[taxonomy.yaml]", max: 1,
		summary: "write a catalogue: a page for each code",
		details: `
Docs writes an index and a page for each code, category, group, reaction and policy to docs/PACKAGE beside the
taxonomy, or to the directory that -o names. Publish the directory at the address that help_url gives without
{code}. With -audience public it contains what clients may see: public codes and fields, without reactions.

Files that docs wrote there before and no longer writes are removed; it recognises them by their first line. "errgen
check" compares a catalogue that exists in docs/PACKAGE, or anywhere else with -also, with the taxonomy.`,
		flags: func(fs *flag.FlagSet, o *options) {
			directoryFlag(fs, o, "write to `DIR`, not to docs/PACKAGE beside the taxonomy")
			fs.BoolVar(&o.verbose, "v", false, "print a line for each file")
			o.choice(fs, "write `FORM`: html or markdown", formatHTML, formatMarkdown)
			audienceFlag(fs, o)
		},
		run: func(s *session, o *options, args []string) error {
			l, err := s.valid(args)
			if err != nil {
				return err
			}
			dir := o.dir
			if dir == "" {
				dir = defaultDocs(l)
			}
			return s.writeMade(l, s.cmd.name, o, dir)
		},
	}
}

func audienceFlag(fs *flag.FlagSet, o *options) {
	fs.Func("audience", "include what `READERS` may see: internal (default) or public", func(value string) error {
		if value != "internal" && value != "public" {
			return errors.New("it must be internal or public")
		}
		o.public = value == "public"
		return nil
	})
}

// defaultDocs returns the directory of a catalogue that is not named.
func defaultDocs(l *loaded) string { return filepath.Join(l.dir(), "docs", l.model.Name) }

// maker makes files other than those of the package. The mark of its files is in their first line.
type maker struct {
	files func(m *model.Package, o *options, mark string) []output.File
	index func(o *options) string // of a directory; nil for a single file
}

// makers are the commands that make such files.
func makers() map[string]maker {
	return map[string]maker{
		"docs": {files: func(m *model.Package, o *options, mark string) []output.File {
			return catalogue.Files(m, catalogue.Options{Format: catalogue.Format(o.format), Public: o.public, Mark: mark})
		}, index: func(o *options) string { return catalogue.Index(catalogue.Format(o.format)) }},
	}
}

// planMade compares what a command makes of a taxonomy with the disk. The path is a directory or a
// file, as the command has it.
func (s *session) planMade(l *loaded, name string, o *options, path string) (planned, error) {
	line := name
	if _, defaults := commandNamed(name).flagSet(); o.format != defaults.format {
		line += " -format " + string(o.format)
	}
	if o.public {
		line += " -audience public"
	}
	m := makers()[name]
	files := m.files(l.model, o, output.Mark(line, l.model.File))
	t := output.Target{Show: path, Command: line, Source: l.model.File, SourceDir: s.path(l.dir())}
	if m.index != nil {
		t.Index = m.index(o)
	} else {
		files[0].Name, t.Show = filepath.Base(path), filepath.Dir(path)
	}
	t.Dir = s.path(t.Show)
	p, err := output.NewPlan(t, files)
	return planned{p, "errgen " + line + " -o " + path + argument(l.name)}, err
}

func (s *session) writeMade(l *loaded, name string, o *options, path string) error {
	p, err := s.planMade(l, name, o, path)
	if err != nil {
		return err
	}
	if err := p.Write(s.ctx); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if o.verbose {
		s.steps(p.Plan)
	}
	return nil
}

// committed returns the plans of what other commands than generate made of the taxonomies: the
// catalogues in the default directories, and what -also names. Their flags are in their marks.
func (s *session) committed(all []*loaded, o *options) ([]planned, error) {
	var plans []planned
	for _, l := range all {
		if s.madeOf(l, defaultDocs(l)) == nil {
			continue
		}
		p, err := s.madeOf(l, defaultDocs(l))()
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	for _, path := range o.also {
		i := slices.IndexFunc(all, func(l *loaded) bool { return s.madeOf(l, path) != nil })
		if i < 0 {
			return nil, fmt.Errorf("check: %s: errgen docs, typescript or openapi did not make it from %s", path,
				all[0].name)
		}
		p, err := s.madeOf(all[i], path)()
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// madeOf returns how to plan what is at a path, or nil if errgen did not make it from the taxonomy.
func (s *session) madeOf(l *loaded, path string) func() (planned, error) {
	for _, file := range []string{"", catalogue.Index(catalogue.HTML), catalogue.Index(catalogue.Markdown)} {
		content, err := os.ReadFile(s.path(filepath.Join(path, file)))
		if err != nil {
			continue
		}
		line, source, ok := output.ReadMark(content)
		name, flags, _ := strings.Cut(line, " ")
		if m := makers()[name]; !ok || source != l.model.File || m.files == nil || (m.index != nil) != (file != "") {
			continue
		}
		fs, o := commandNamed(name).flagSet()
		if _, err := parse(fs, strings.Fields(flags)); err == nil {
			return func() (planned, error) { return s.planMade(l, name, o, path) }
		}
	}
	return nil
}
