package verify

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// errKind is the error of a path that is not a regular file: a directory, a pipe, a device.
type errKind fs.FileMode

func (e errKind) Error() string {
	switch mode := fs.FileMode(e); {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// openFile opens a regular file of the tree. For anything else it returns an error, because opening
// a pipe or a device can block.
func (f *Facts) openFile(name string) (*os.File, error) {
	info, err := f.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errKind(info.Mode())
	}
	return f.root.Open(name)
}

// reason describes why a file could not be read, after "found".
func reason(err error) string {
	var kind errKind
	switch {
	case errors.As(err, &kind):
		return kind.Error()
	case errors.Is(err, fs.ErrNotExist):
		return "nothing"
	case errors.Is(err, fs.ErrPermission):
		return "a file without permission to read it"
	}
	return err.Error()
}

// file checks a criterion of a path. A missing file is an unmet criterion and not a missing
// prerequisite, because the step should have made it.
func (f *Facts) file(k *plan.Criterion) (found []*taxonomy.Evidence) {
	add := func(kind, expected, actual string) { found = append(found, unmet(kind, k.Path, expected, actual)) }
	name := path.Clean(k.Path)
	if !k.OfFile() {
		if _, err := f.root.Stat(name); err != nil {
			add("content", "a file or directory", reason(err))
		}
		return found
	}
	file, err := f.openFile(name)
	if err != nil {
		add("content", "a file", reason(err))
		return found
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && k.Bytes != nil && !k.Bytes.Contains(info.Size()) {
		add("size", k.Bytes.String()+" bytes", strconv.FormatInt(info.Size(), 10))
	}
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		add("content", "a file", reason(err))
		return found
	case len(content) > maxFile:
		if k.Format != "" || k.Matches != "" || len(k.Sections) > 0 || k.Lines != nil {
			add("content", "a file of at most 16 MiB", "a larger file")
		}
		return found
	}
	if err := malformed(k.Format, content); err != nil {
		add("format", k.Format, err.Error())
	}
	if absent := absentSections(content, k.Sections); len(absent) > 0 {
		add("missing_sections", "the headings "+strings.Join(k.Sections, ", "), "no "+strings.Join(absent, ", "))
	}
	if k.Lines != nil {
		if n, err := countLines(content, k.Lines.Matching); err != nil || !k.Lines.Contains(n) {
			add("count", k.Lines.Lines(), strconv.FormatInt(n, 10))
		}
	}
	if ok, err := regexp.Match(k.Matches, content); err != nil || !ok {
		add("content", "a match of /"+k.Matches+"/", "none")
	}
	return found
}

func countLines(content []byte, expression string) (n int64, err error) {
	e, err := regexp.Compile(expression)
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(content) {
		if e.Match(bytes.TrimRight(line, "\r\n")) {
			n++
		}
	}
	return n, nil
}

// malformed returns an error if the content does not have the format.
func malformed(format string, content []byte) error {
	switch format {
	case "json":
		if !json.Valid(content) {
			return errors.New("invalid JSON")
		}
	case "csv":
		_, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
		return err
	case "xml":
		return malformedXML(content)
	case "utf-8":
		if !utf8.Valid(content) {
			return errors.New("invalid UTF-8")
		}
	}
	return nil
}

func malformedXML(content []byte) error {
	decoder := xml.NewDecoder(bytes.NewReader(content))
	elements := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) && elements {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return errors.New("no element")
		}
		if err != nil {
			return err
		}
		if _, ok := token.(xml.StartElement); ok {
			elements = true
		}
	}
}

// absentSections returns the sections without a heading in a Markdown text. Case is ignored.
func absentSections(content []byte, sections []string) []string {
	if len(sections) == 0 {
		return nil
	}
	titles := map[string]bool{}
	doc := goldmark.DefaultParser().Parse(text.NewReader(content))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			titles[strings.ToLower(strings.TrimSpace(string(h.Lines().Value(content))))] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(sections), func(s string) bool {
		return titles[strings.ToLower(strings.TrimSpace(s))]
	})
}

// count checks the number of files that match a pattern. A directory that cannot be read is a
// finding, because its files are not counted.
func (f *Facts) count(ctx context.Context, k *plan.Criterion) []*taxonomy.Evidence {
	var n int64
	err := fs.WalkDir(f.root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case d.IsDir() && strings.EqualFold(d.Name(), ".git"):
			return fs.SkipDir
		case !d.IsDir() && doublestar.MatchUnvalidated(k.Files, p):
			n++
		}
		return nil
	})
	actual := strconv.FormatInt(n, 10)
	if err != nil {
		actual = "a directory that cannot be read: " + err.Error()
	} else if k.Total().Contains(n) {
		return nil
	}
	return []*taxonomy.Evidence{unmet("count", k.Files, k.Total().String()+" files", actual)}
}
