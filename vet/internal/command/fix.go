package command

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/errgen/errgen/vet/internal/infer"
	"github.com/errgen/errgen/vet/internal/program"
)

// fix writes contracts of functions. A function whose errors are not all known gets none.
func (s *session) fix() error {
	if len(s.args) == 0 && !s.entries {
		return errors.New("name the functions, such as Place or service.place, or use -entries")
	}
	p, err := s.load(nil)
	if err != nil {
		return err
	}
	chosen, open := s.chosen(p)
	edits := make(map[string][]edit)
	for _, fn := range chosen {
		words, err := contractOf(p, fn)
		if err != nil {
			open = append(open, err)
			continue
		}
		decl := program.Declaration(fn)
		pos := p.Fset.Position(decl.Pos())
		edits[pos.Filename] = append(edits[pos.Filename], directiveEdit(p.Fset, decl, words))
		at := fmt.Sprintf("%s:%d", s.display(p, pos.Filename), pos.Line)
		fmt.Fprintf(s.Stdout, "%s: %s: %s\n", at, shortFunc(fn), strings.Join(words, " "))
	}
	for _, file := range slices.Sorted(maps.Keys(edits)) {
		if err := apply(file, edits[file]); err != nil {
			return fmt.Errorf("write contracts: %w", err)
		}
	}
	return errors.Join(open...)
}

// chosen returns the functions that the arguments name, and the entries.
func (s *session) chosen(p *program.Program) (list []*ssa.Function, missing []error) {
	add := func(fn *ssa.Function) {
		if fn != nil && program.Declaration(fn) != nil && !slices.Contains(list, fn) {
			list = append(list, fn)
		}
	}
	for _, name := range s.args {
		found := false
		for _, fn := range p.Funcs {
			if _, ok := p.Result(fn); ok && isNamed(fn, name) {
				add(fn)
				found = true
			}
		}
		if !found {
			missing = append(missing, fmt.Errorf("no function %s here returns an error", name))
		}
	}
	if s.entries {
		for _, x := range p.Entries() {
			add(p.Declared(x.Func))
		}
	}
	return list, missing
}

// isNamed reports whether name is that of the function, with or without its package.
func isNamed(fn *ssa.Function, name string) bool {
	short := shortFunc(fn)
	_, local, _ := strings.Cut(short, ".")
	return name == short || name == local
}

// contractOf returns the operands of the directive of a function.
func contractOf(p *program.Program, fn *ssa.Function) (words []string, err error) {
	set, ok := p.Result(fn)
	if !ok {
		return nil, fmt.Errorf("%s returns no error", shortFunc(fn))
	}
	foreign := false
	for a, path := range p.Close(set).All() {
		switch {
		case a.Below || a.Kind == infer.Ended:
		case a.Kind == infer.Foreign:
			foreign = true
		case a.Kind != infer.Code:
			return nil, fmt.Errorf("%s: the errors are not all known: %s: %s",
				shortFunc(fn), p.Word(a, fn), infer.Path(path))
		default:
			if word := p.NameOf(fn.Pkg.Pkg, a.Name); !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	slices.Sort(words)
	if foreign {
		words = append(words, infer.ForeignWord)
	}
	return words, nil
}

// edit replaces the bytes from one offset to another.
type edit struct {
	from, to int
	text     string
}

// directiveEdit writes the directive of a function as the last line of its comment.
func directiveEdit(fset *token.FileSet, decl *ast.FuncDecl, words []string) edit {
	text := strings.TrimRight("//errgen:errors "+strings.Join(words, " "), " ")
	if decl.Doc == nil {
		at := fset.Position(decl.Pos()).Offset
		return edit{at, at, text + "\n"}
	}
	last := decl.Doc.List[len(decl.Doc.List)-1]
	for _, c := range decl.Doc.List {
		if strings.HasPrefix(c.Text, "//errgen:errors") {
			return edit{fset.Position(c.Pos()).Offset, fset.Position(c.End()).Offset, text}
		}
	}
	if !strings.HasPrefix(last.Text, "//errgen:") && !strings.HasPrefix(last.Text, "//go:") {
		text = "//\n" + text
	}
	at := fset.Position(last.End()).Offset
	return edit{at, at, "\n" + text}
}

// apply changes a file.
func apply(file string, edits []edit) error {
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.from - a.from })
	for _, e := range edits {
		src = slices.Replace(src, e.from, e.to, []byte(e.text)...)
	}
	return os.WriteFile(file, src, 0o666) // the file exists, and keeps its mode
}
