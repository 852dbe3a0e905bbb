package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
)

const (
	// defaultFile is the taxonomy when none is named, and the name that one from standard input
	// goes by.
	defaultFile = "taxonomy.yaml"
	stdinArg    = "-"
)

// maxRead bounds what is read. It lies above what a taxonomy may measure, so that the finding about
// its size is made where the others are.
const maxRead = 17 << 20

// loaded is a taxonomy that was read.
type loaded struct {
	name     string // as the user gave it
	source   *diag.Source
	model    *model.Package // nil if there are errors
	findings []diag.Finding
}

// dir is the directory that the taxonomy stands in, as the user gave it.
func (l *loaded) dir() string {
	if l.name == stdinArg {
		return "."
	}
	return filepath.Dir(l.name)
}

// load reads and checks a taxonomy. Its error is one of reading; faults of the taxonomy are
// findings.
func (s *session) load(name string) (*loaded, error) {
	src, err := s.read(name)
	if err != nil {
		return nil, err
	}
	l := &loaded{name: name, source: diag.NewSource(name, src)}
	l.model, l.findings = check.Load(name, src)
	if l.model != nil && name == stdinArg {
		l.model.File = defaultFile
	}
	return l, nil
}

// loadAll reads and checks taxonomies, taxonomy.yaml if none is named.
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

// valid loads one taxonomy for a command that is not about findings: errors are printed and end the
// command, warnings are not mentioned.
func (s *session) valid(names []string) (*loaded, error) {
	all, err := s.loadAll(names)
	if err != nil {
		return nil, err
	}
	l := all[0]
	if l.model == nil {
		if err := diag.Print(
			s.Stderr, diag.FormatText,
			diag.FileFindings{Source: l.source, Findings: onlyErrors(l.findings)}); err != nil {
			return nil, err
		}
		return nil, errFindings
	}
	return l, nil
}

func (s *session) read(name string) ([]byte, error) {
	if name == stdinArg {
		src, err := readBounded(s.Stdin)
		if err != nil {
			return nil, fmt.Errorf("read taxonomy from standard input: %w", err)
		}
		return src, nil
	}
	f, err := os.Open(s.path(name))
	if err != nil {
		return nil, s.readError(name, err)
	}
	defer func() { _ = f.Close() }()
	src, err := readBounded(f)
	if err != nil {
		return nil, s.readError(name, err)
	}
	return src, nil
}

func readBounded(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, maxRead))
}

// readError says what is wrong with the path as the user gave it, and where the taxonomy may be
// instead.
func (s *session) readError(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("read taxonomy: %s: %w%s", name, err, s.elsewhere(name))
}

func (s *session) elsewhere(name string) string {
	info, err := os.Stat(s.path(name))
	if err == nil && info.IsDir() {
		if inside := filepath.Join(name, defaultFile); s.exists(inside) {
			return fmt.Sprintf("; did you mean %q?", inside)
		}
		return ""
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	base := name[:len(name)-len(filepath.Ext(name))]
	for _, near := range []string{base + ".yaml", base + ".yml"} {
		if near != name && s.exists(near) {
			return fmt.Sprintf("; did you mean %q?", near)
		}
	}
	if name == defaultFile {
		return `; "errgen init" writes one to start from`
	}
	return ""
}

func (s *session) exists(name string) bool {
	_, err := os.Stat(s.path(name))
	return err == nil
}

func onlyErrors(findings []diag.Finding) []diag.Finding {
	var out []diag.Finding
	for _, f := range findings {
		if f.Severity == diag.Error {
			out = append(out, f)
		}
	}
	return out
}
