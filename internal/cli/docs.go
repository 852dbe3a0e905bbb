package cli

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/catalogue"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/openapi"
	"github.com/errgen/errgen/internal/output"
	"github.com/errgen/errgen/internal/slo"
	"github.com/errgen/errgen/internal/typescript"
)

func docsFlags(fs *flag.FlagSet, o *options) {
	directoryFlag(fs, o, "write to `DIR`, not to docs/PACKAGE beside the taxonomy")
	fs.BoolVar(&o.verbose, "v", false, "print a line for each file")
	o.choice(fs, "write `FORM`: html or markdown", diag.Format(catalogue.HTML), diag.Format(catalogue.Markdown))
	audienceFlag(fs, o, internal)
	fs.Func("former-url", "also write pages at the addresses of an earlier help_url, `URL`; may be repeated",
		func(url string) error {
			if !strings.Contains(url, "{code}") || strings.ContainsAny(url, " \t") {
				return errors.New("it must be a URL with {code}")
			}
			o.formerURLs = append(o.formerURLs, url)
			return nil
		})
}

func openapiFlags(fs *flag.FlagSet, o *options) {
	fileFlags(fs, o)
	o.choice(fs, "write `FORM`: yaml or json", diag.Format(openapi.YAML), diag.Format(openapi.JSON))
	fs.StringVar(&o.into, "into", "",
		"write the errors of the operations into an OpenAPI document, `FILE`, and change nothing else")
	fs.BoolVar(&o.check, "check", false, "with -into, report whether the document would change, and change nothing")
}

func fileFlags(fs *flag.FlagSet, o *options) {
	fileFlag(fs, o, "write to `FILE`, not to standard output")
	fs.BoolVar(&o.verbose, "v", false, "print whether the file was changed")
	audienceFlag(fs, o, public)
}

func fileFlag(fs *flag.FlagSet, o *options, usage string) {
	fs.Func("o", usage, func(file string) error {
		if file == "-" || file == "/dev/stdout" {
			return errors.New("leave -o out to print the file")
		}
		o.dir = file
		return nil
	})
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

// makers are the commands that write files outside the package.
var makers = []string{"docs", "typescript", "openapi", "slo"}

// make runs one of the makers. Without -o it prints the file of typescript and openapi.
func (s *session) make(o *options, args []string) error {
	if o.signatures {
		return s.signatureMatcher(o, args)
	}
	l, err := s.valid(args)
	if err != nil {
		return err
	}
	for _, f := range l.messages {
		if diag.HasErrors(f.Findings) {
			return s.faults(f.Source, f.Findings)
		}
	}
	switch {
	case o.into != "":
		return s.writeInto(o, l)
	case o.check:
		return usagef("openapi: -check needs -into")
	}
	name, path := s.cmd.name, o.dir
	switch {
	case path != "":
	case name == "docs":
		path = defaultDocs(l)
	case name == "slo":
		path = defaultSLO(l)
	}
	if path == "" {
		files, err := filesOf(l, name, o)
		if err != nil {
			return err
		}
		return s.write(files[0].Content)
	}
	p, err := s.planMade(l, name, o, path)
	if err != nil {
		return err
	}
	return s.apply(o, p)
}

// filesOf returns the files of a maker for the chosen audience. Typescript has one more file for each
// language with texts; its name is the suffix to the name of the first file. The first line of each
// file contains the command and its flags that differ from the defaults.
func filesOf(l *loaded, name string, o *options) ([]output.File, error) {
	m, mark := l.model, output.Mark(commandLine(name, o), l.model.File)
	if o.readers == public {
		m = l.model.PublicOnly()
	}
	switch {
	case name == "slo":
		return filesOfSLO(l, o, mark)
	case len(m.Codes) == 0:
		return nil, noPublicCode(name, l)
	case name == "typescript":
		files := []output.File{{Content: typescript.File(m, mark)}}
		for _, language := range m.Languages {
			files = append(files, output.File{Name: "." + language.Tag, Content: typescript.Texts(m, language, mark)})
		}
		return files, nil
	case name == "openapi":
		return []output.File{{Content: openapi.File(m, openapi.Format(o.format), mark)}}, nil
	}
	c := catalogue.Options{
		Format: catalogue.Format(o.format), Public: o.readers == public, Mark: mark, FormerURLs: o.formerURLs,
	}
	if !c.Public || l.tree.Audience.V == public { // otherwise a reserved name can be that of an internal code
		for _, r := range l.tree.Reserved.Codes {
			c.Removed = append(c.Removed, catalogue.Removed{Name: r.Name.V, Reason: r.Reason.V})
		}
	}
	return catalogue.Files(m, c), nil
}

func noPublicCode(command string, l *loaded) error {
	return fmt.Errorf(`%s: %s has no public code: set "audience: public" for codes, categories or the file, `+
		`or use -audience internal`, command, l.name)
}

// commandLine returns a maker with its flags that differ from the defaults.
func commandLine(name string, o *options) string {
	_, defaults := commandNamed(name).flagSet()
	if o.format != defaults.format {
		name += " -format " + string(o.format)
	}
	if o.readers != defaults.readers {
		name += " -audience " + o.readers
	}
	for _, url := range o.formerURLs {
		name += " -former-url " + url
	}
	return name + objectiveFlags(o, defaults)
}

// defaultDocs returns the directory of a catalogue without -o.
func defaultDocs(l *loaded) string { return filepath.Join(l.dir(), "docs", l.model.Name) }

// isTree reports whether a maker writes a directory.
func isTree(name string) bool { return name == "docs" || name == "slo" }

// planMade compares the files of a maker with the disk. The path is the directory of docs and slo,
// or the file of the other makers.
func (s *session) planMade(l *loaded, name string, o *options, path string) (planned, error) {
	files, err := filesOf(l, name, o)
	if err != nil {
		return planned{}, err
	}
	line := commandLine(name, o)
	t := output.Target{
		Show: path, Command: line, Source: l.model.File, SourceDir: s.path(l.dir()), Tree: isTree(name),
	}
	if !t.Tree {
		ext := filepath.Ext(path)
		for i := range files { // errors.ts, then errors.de.ts and so on
			files[i].Name = strings.TrimSuffix(filepath.Base(path), ext) + files[i].Name + ext
		}
		t.Show = filepath.Dir(path)
	}
	t.Dir = s.path(t.Show)
	p, err := output.NewPlan(t, files)
	return planned{p, "errgen " + line + " -o " + path + argument(l.name)}, err
}

// committed returns the plans of files that makers wrote for the taxonomies: the catalogues in the
// default directories, and the paths of -also. The flags are in the marks of the files.
func (s *session) committed(all []*loaded, o *options) (plans []planned, err error) {
	add := func(path string, from ...*loaded) bool {
		for _, l := range from {
			p, ok, failed := s.madeOf(l, path)
			if ok {
				plans, err = append(plans, p), errors.Join(err, failed)
				return true
			}
		}
		return false
	}
	for _, l := range all {
		add(defaultDocs(l), l)
		add(defaultSLO(l), l)
	}
	for _, path := range o.also {
		if !add(path, all...) {
			return nil, fmt.Errorf("check: %s: errgen docs, typescript, openapi or slo did not make it from %s", path,
				all[0].name)
		}
	}
	return plans, err
}

// madeOf plans the files at a path. ok is false if no maker wrote them for the taxonomy.
func (s *session) madeOf(l *loaded, path string) (p planned, ok bool, err error) {
	marked := []string{"", catalogue.Index(catalogue.HTML), catalogue.Index(catalogue.Markdown), slo.RulesFile}
	for _, file := range marked {
		content, err := os.ReadFile(s.path(filepath.Join(path, file)))
		if err != nil {
			continue
		}
		line, source, ok := output.ReadMark(content)
		name, flags, _ := strings.Cut(line, " ")
		if !ok || source != output.MarkName(l.model.File) || !slices.Contains(makers, name) ||
			isTree(name) != (file != "") {
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

// writeInto writes the errors of the operations into an OpenAPI document.
func (s *session) writeInto(o *options, l *loaded) error {
	if o.dir != "" || o.format != diag.Format(openapi.YAML) || o.readers != public {
		return usagef("openapi: -into takes no -o, -format and -audience")
	}
	src, err := os.ReadFile(s.path(o.into))
	switch {
	case err != nil:
		return fmt.Errorf("openapi: %w", err)
	case len(l.model.Operations) == 0 && !bytes.Contains(src, []byte("x-errgen")):
		return fmt.Errorf("openapi: %s declares no operations", l.name)
	}
	out, remarks, err := openapi.Into(o.into, src, l.model.PublicOnly())
	if err != nil {
		return fmt.Errorf("openapi: %w", err)
	}
	for _, remark := range remarks {
		s.note("%s", remark)
	}
	same, verb := bytes.Equal(src, out), "changed"
	switch {
	case same:
		verb = "unchanged"
	case o.check:
		s.note("%s would change: run \"errgen openapi -into %[1]s%s\"", o.into, argument(l.name))
		return errFindings
	default:
		if err := output.Replace(s.path(o.into), out); err != nil {
			return fmt.Errorf("openapi: %w", err)
		}
	}
	if o.verbose {
		s.note("%s: %s", o.into, verb)
	}
	return nil
}
