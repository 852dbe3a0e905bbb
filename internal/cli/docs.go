package cli

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/errgen/errgen/internal/catalogue"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/openapi"
	"github.com/errgen/errgen/internal/output"
	"github.com/errgen/errgen/internal/typescript"
)

const (
	formatHTML     diag.Format = "html"
	formatMarkdown diag.Format = "markdown"
	formatYAML     diag.Format = "yaml"
	formatJSON     diag.Format = "json"
)

func docsFlags(fs *flag.FlagSet, o *options) {
	directoryFlag(fs, o, "write to `DIR`, not to docs/PACKAGE beside the taxonomy")
	fs.BoolVar(&o.verbose, "v", false, "print a line for each file")
	o.choice(fs, "write `FORM`: html or markdown", formatHTML, formatMarkdown)
	audienceFlag(fs, o, internal)
}

func (s *session) docs(o *options, args []string) error {
	l, err := s.valid(args)
	if err != nil {
		return err
	}
	dir := o.dir
	if dir == "" {
		dir = defaultDocs(l)
	}
	return s.writeMade(l, s.cmd.name, o, dir)
}

func openapiFlags(fs *flag.FlagSet, o *options) {
	fileFlags(fs, o)
	o.choice(fs, "write `FORM`: yaml or json", formatYAML, formatJSON)
}

func fileFlags(fs *flag.FlagSet, o *options) {
	fs.StringVar(&o.dir, "o", "", "write to `FILE`, not to standard output")
	fs.BoolVar(&o.verbose, "v", false, "print whether the file was changed")
	audienceFlag(fs, o, public)
}

// The audiences.
const (
	internal = "internal"
	public   = "public"
)

func audienceFlag(fs *flag.FlagSet, o *options, byDefault string) {
	o.readers = byDefault
	fs.Func("audience", "include what `READERS` may see: internal or public (default "+byDefault+")",
		func(value string) error {
			if value != internal && value != public {
				return errors.New("it must be internal or public")
			}
			o.readers = value
			return nil
		})
}

// writeFile runs a command that makes one file.
func (s *session) writeFile(o *options, args []string) error {
	l, err := s.valid(args)
	if err != nil {
		return err
	}
	if o.dir != "" {
		return s.writeMade(l, s.cmd.name, o, o.dir)
	}
	m, err := s.readable(l, s.cmd.name, o)
	if err != nil {
		return err
	}
	return s.write(makers()[s.cmd.name].files(m, o, s.mark(l, s.cmd.name, o))[0].Content)
}

// readable returns the part of a taxonomy that the readers may see.
func (s *session) readable(l *loaded, name string, o *options) (*model.Package, error) {
	if o.readers != public {
		return l.model, nil
	}
	m := l.model.PublicOnly()
	if len(m.Codes) == 0 {
		return nil, fmt.Errorf(`%s: %s has no public code: set "audience: public" for codes, categories or the file, `+
			`or use -audience internal`, name, l.name)
	}
	return m, nil
}

// mark returns the mark of a command's files, with the flags that are not the default.
func (s *session) mark(l *loaded, name string, o *options) string {
	return output.Mark(commandLine(name, o), l.model.File)
}

func commandLine(name string, o *options) string {
	_, defaults := commandNamed(name).flagSet()
	if o.format != defaults.format {
		name += " -format " + string(o.format)
	}
	if o.readers != defaults.readers {
		name += " -audience " + o.readers
	}
	return name
}

// defaultDocs returns the directory of a catalogue that is not named.
func defaultDocs(l *loaded) string { return filepath.Join(l.dir(), "docs", l.model.Name) }

// maker makes files other than those of the package. The mark of its files is in their first line.
type maker struct {
	files func(m *model.Package, o *options, mark string) []output.File
	tree  bool // whether the path is a directory
}

// makers are the commands that make such files.
func makers() map[string]maker {
	return map[string]maker{
		"docs": {files: func(m *model.Package, o *options, mark string) []output.File {
			return catalogue.Files(m, catalogue.Options{
				Format: catalogue.Format(o.format), Public: o.readers == public, Mark: mark,
			})
		}, tree: true},
		"typescript": {files: func(m *model.Package, _ *options, mark string) []output.File {
			return []output.File{{Content: typescript.File(m, mark)}}
		}},
		"openapi": {files: func(m *model.Package, o *options, mark string) []output.File {
			return []output.File{{Content: openapi.File(m, openapi.Format(o.format), mark)}}
		}},
	}
}

// planMade compares what a command makes of a taxonomy with the disk. The path is a directory or a
// file, as the command has it.
func (s *session) planMade(l *loaded, name string, o *options, path string) (planned, error) {
	line := commandLine(name, o)
	readable, err := s.readable(l, name, o)
	if err != nil {
		return planned{}, err
	}
	m := makers()[name]
	files := m.files(readable, o, s.mark(l, name, o))
	t := output.Target{Show: path, Command: line, Source: l.model.File, SourceDir: s.path(l.dir())}
	if m.tree {
		t.Tree = true
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
func (s *session) committed(all []*loaded, o *options) (plans []planned, err error) {
	add := func(path string) bool {
		for _, l := range all {
			p, ok, failed := s.madeOf(l, path)
			if ok {
				plans, err = append(plans, p), errors.Join(err, failed)
				return true
			}
		}
		return false
	}
	for _, l := range all {
		add(defaultDocs(l))
	}
	for _, path := range o.also {
		if !add(path) {
			return nil, fmt.Errorf("check: %s: errgen docs, typescript or openapi did not make it from %s", path,
				all[0].name)
		}
	}
	return plans, err
}

// madeOf plans the files at a path. It is not ok if errgen did not make them from the taxonomy.
func (s *session) madeOf(l *loaded, path string) (p planned, ok bool, err error) {
	for _, file := range []string{"", catalogue.Index(catalogue.HTML), catalogue.Index(catalogue.Markdown)} {
		content, err := os.ReadFile(s.path(filepath.Join(path, file)))
		if err != nil {
			continue
		}
		line, source, ok := output.ReadMark(content)
		name, flags, _ := strings.Cut(line, " ")
		m := makers()[name]
		if !ok || source != output.MarkName(l.model.File) || m.files == nil || m.tree != (file != "") {
			continue
		}
		fs, o := commandNamed(name).flagSet()
		if _, err := parse(fs, strings.Fields(flags)); err == nil {
			p, err := s.planMade(l, name, o, path)
			return p, true, err
		}
	}
	return planned{}, false, nil
}
