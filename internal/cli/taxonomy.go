package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/schema"
	"github.com/errgen/errgen/internal/spec"
)

const (
	// defaultFile is the taxonomy if none is named. In output it is also the name of standard input.
	defaultFile = "taxonomy.yaml"
	stdinArg    = "-"
)

// maxRead limits reading. It is above the limit of a taxonomy's size, so that the decoder reports
// that limit like other findings.
const maxRead = 17 << 20

// loaded is a taxonomy that was read.
type loaded struct {
	name     string // as the user gave it
	source   *diag.Source
	tree     *spec.Taxonomy
	model    *model.Package // nil if there are errors
	findings []diag.Finding
	messages []diag.FileFindings // of the files of messages beside the taxonomy
}

// dir returns the directory of the taxonomy, as the user gave it.
func (l *loaded) dir() string {
	if l.name == stdinArg {
		return "."
	}
	return filepath.Dir(l.name)
}

// load reads and checks a taxonomy. It fails only if reading fails; faults of the taxonomy are
// findings.
func (s *session) load(name string) (*loaded, error) {
	src, err := s.readAll(name)
	if err != nil {
		return nil, err
	}
	l := loadSource(name, src)
	return l, s.loadMessages(l)
}

func loadSource(name string, src []byte) *loaded {
	tree, findings := spec.Parse(name, src)
	l := &loaded{name: name, source: tree.Source, tree: tree}
	l.model, l.findings = check.Tree(tree, findings)
	if l.model != nil && name == stdinArg {
		l.model.File = defaultFile
	}
	return l
}

// loadAll reads and checks taxonomies. If none is named, it loads taxonomy.yaml.
func (s *session) loadAll(names []string) ([]*loaded, error) {
	if len(names) == 0 {
		names = []string{defaultFile}
	}
	var all []*loaded
	var errs []error
	for _, name := range names {
		l, err := s.load(name)
		all = append(all, l)
		errs = append(errs, err)
	}
	return all, errors.Join(errs...)
}

// valid loads a taxonomy for a command that is not about findings. Errors are printed and end the
// command; warnings are ignored.
func (s *session) valid(names []string) (*loaded, error) {
	all, err := s.loadAll(names)
	if err != nil {
		return nil, err
	}
	l := all[0]
	if l.model == nil {
		return nil, s.faults(l.source, l.findings)
	}
	return l, nil
}

// faults prints the errors of a taxonomy, and returns errFindings.
func (s *session) faults(source *diag.Source, findings []diag.Finding) error {
	return s.printFindings(&options{format: diag.FormatText}, s.Stderr, true,
		diag.FileFindings{Source: source, Findings: onlyErrors(findings)})
}

// open opens a file, or standard input.
func (s *session) open(name string) (io.ReadCloser, error) {
	switch {
	case name != stdinArg:
		return os.Open(s.path(name))
	case s.Stdin == nil:
		return io.NopCloser(strings.NewReader("")), nil
	}
	return io.NopCloser(s.Stdin), nil
}

// readsInputOnce returns an error if more than one of a taxonomy and other files is standard input.
func (s *session) readsInputOnce(taxonomy string, files []string) error {
	isFile := func(name string) bool { return name != stdinArg }
	if len(slices.DeleteFunc(append([]string{taxonomy}, files...), isFile)) > 1 {
		return usagef("%s: standard input can be read only once", s.cmd.name)
	}
	return nil
}

func (s *session) readFile(name string) ([]byte, error) {
	in, err := s.open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	return readBounded(in)
}

// read reads a taxonomy, or a file beside it.
func (s *session) read(name string) ([]byte, error) {
	src, err := s.readFile(name)
	switch {
	case err == nil:
		return src, nil
	case name == stdinArg:
		return nil, fmt.Errorf("read taxonomy from standard input: %w", err)
	}
	return nil, fmt.Errorf("read taxonomy: %s: %w%s", name, cause(err), s.elsewhere(name))
}

// readAll reads a taxonomy and the files that it includes.
func (s *session) readAll(name string) ([]byte, error) {
	src, err := s.read(name)
	if err != nil {
		return nil, err
	}
	dir := s.path(filepath.Dir(name))
	return spec.Include(name, src, func(file string) ([]byte, error) {
		root, err := os.OpenRoot(dir) // refuses symbolic links that leave the directory
		if err != nil {
			return nil, cause(err)
		}
		defer func() { _ = root.Close() }()
		f, err := root.Open(filepath.FromSlash(file))
		if err != nil {
			return nil, cause(err)
		}
		defer func() { _ = f.Close() }()
		text, err := readBounded(f)
		return text, cause(err)
	})
}

func readBounded(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, maxRead))
}

// cause returns the error in an error of the file system, without the path.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// elsewhere suggests where the taxonomy may be.
func (s *session) elsewhere(name string) string {
	if inside := filepath.Join(name, defaultFile); s.exists(inside) {
		return fmt.Sprintf("; did you mean %q?", inside)
	}
	if name == defaultFile {
		return `; "errgen init" writes one to start from, with -service or -agent for such a program`
	}
	return ""
}

func (s *session) exists(name string) bool {
	_, err := os.Stat(s.path(name))
	return err == nil
}

func onlyErrors(findings []diag.Finding) []diag.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f diag.Finding) bool { return f.Severity != diag.Error })
}

func (s *session) lint(o *options, args []string) error {
	all, err := s.loadAll(args)
	if err != nil {
		return err
	}
	return s.report(all, o, s.Stdout)
}

// schema accepts every taxonomy that can be parsed, even with undeclared names.
func (s *session) schema(_ *options, args []string) error {
	if len(args) == 0 {
		return s.write(schema.JSON(nil))
	}
	src, err := s.readAll(args[0])
	if err != nil {
		return err
	}
	t, findings := spec.Parse(args[0], src)
	if diag.HasErrors(findings) {
		return s.faults(t.Source, findings)
	}
	return s.write(schema.JSON(t))
}

// report prints the findings of taxonomies, and returns errFindings if one of them stops the
// command. As text they go to w; other formats go to standard output.
func (s *session) report(all []*loaded, o *options, w io.Writer) error {
	stop := false
	var files []diag.FileFindings
	for _, l := range all {
		stop = stop || l.model == nil
		files = append(files, diag.FileFindings{Source: l.source, Findings: l.findings})
		files = append(files, l.messages...)
	}
	return s.printFindings(o, w, stop, files...)
}

// printFindings prints findings, and returns errFindings if stop is true, one of them is an error,
// or -strict makes a warning one. With -q warnings are left out.
func (s *session) printFindings(o *options, w io.Writer, stop bool, files ...diag.FileFindings) error {
	if o.format != diag.FormatText {
		w = s.Stdout
	}
	for i, f := range files {
		stop = stop || diag.HasErrors(f.Findings) || o.strict && len(f.Findings) > 0
		if o.quiet && !o.strict {
			files[i].Findings = onlyErrors(f.Findings)
		}
	}
	if o.format == diag.FormatGitHub {
		files = diag.FromRoot(s.path("."), files...)
	}
	if o.format == diag.FormatSARIF {
		s.logged = append(s.logged, files...)
	} else if err := diag.Print(w, o.format, files...); err != nil {
		return err
	}
	if stop {
		return errFindings
	}
	return nil
}
