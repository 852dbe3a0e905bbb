package command

import (
	"cmp"
	"fmt"
	"go/token"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/tools/go/ssa"

	"github.com/errgen/errgen/vet/internal/infer"
	"github.com/errgen/errgen/vet/internal/program"
)

// codes prints the errors of exported functions, handlers and remote methods, with witnesses.
func (s *session) codes() error {
	p, err := s.load(s.args)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(s.Stdout, 0, 0, 3, ' ', 0)
	for _, x := range p.Entries() {
		if err := printSet(w, p, x.Name, x.Func, x.Set); err != nil {
			return err
		}
	}
	for _, fn := range p.Funcs {
		set, ok := p.Result(fn)
		if !ok || set.Len() == 0 || !s.all && !exported(fn) {
			continue
		}
		if err := printSet(w, p, shortFunc(fn), fn, set); err != nil {
			return err
		}
	}
	return w.Flush()
}

// exported reports whether other packages can name a function, or a command's function can be
// called.
func exported(fn *ssa.Function) bool { return token.IsExported(fn.Name()) }

func shortFunc(fn *ssa.Function) string { return infer.ShortName(fn.String()) }

// printSet prints one line for each visible error.
func printSet(w io.Writer, p *program.Program, name string, fn *ssa.Function, set *infer.Set) error {
	best := make(map[string][]string)
	for a, path := range set.All() {
		word := p.Word(a, fn)
		if a.Kind == infer.Ended {
			word, path = "(context)", append(slices.Clone(path), a.Name)
		}
		if old, ok := best[word]; word != "" && (!ok || len(path) < len(old) ||
			len(path) == len(old) && slices.Compare(path, old) < 0) {
			best[word] = path
		}
	}
	codesFirst := func(a, b string) int {
		return cmp.Or(strings.IndexAny(a, "($")-strings.IndexAny(b, "($"), strings.Compare(a, b))
	}
	for _, word := range slices.SortedFunc(maps.Keys(best), codesFirst) {
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\n", name, word, infer.Path(best[word])); err != nil {
			return fmt.Errorf("print codes: %w", err)
		}
		name = "" // once
	}
	return nil
}
