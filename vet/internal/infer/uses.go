package infer

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/errgen/errgen/internal/summary"
)

// Use is a place where a program handles a code.
type Use struct {
	Code string // path of the generated package, "#" and the code
	How  summary.How
	Pos  token.Pos
}

// Uses returns the places of a package where codes are handled that can arrive there.
func (e *Engine) Uses(src Source) (list []Use) {
	c := e.checker(src)
	add := func(pos token.Pos, how summary.How, s *Set, codes ...string) {
		for _, code := range codes {
			if possible(s, []string{code}, false) {
				list = append(list, Use{code, how, pos})
			}
		}
	}
	every := func(*summary.Code) bool { return true }
	c.values(func(v ssa.Value, b *ssa.BasicBlock) {
		for _, t := range e.tests(v) {
			s := e.close(e.valueAt(t.err, b))
			for _, code := range t.codes {
				how := t.how
				if how == summary.ByCode && !strings.HasSuffix(code, "#"+t.name) {
					how = summary.ByParent
				}
				if how != "" {
					add(t.pos, how, s, code)
				}
			}
		}
		call, ok := v.(*ssa.Call)
		if !ok || call.Call.StaticCallee() == nil {
			return
		}
		args := call.Call.Args
		switch fullName(call.Call.StaticCallee()) {
		case "(" + runtimePath + "taxonomy.Table).Reaction":
			if tax := e.taxonomy(e.tableOf(args[0])); tax != nil {
				add(call.Pos(), summary.ByReaction, e.close(e.valueAt(args[1], b)), tax.where(every)...)
			}
		case runtimePath + "retry.Do", runtimePath + "retry.Value":
			if tables, _ := e.tableIn(args[2]); tables != "" {
				c := &modelled{e: e, call: call, args: args, at: e.at(call.Pos())}
				add(call.Pos(), summary.ByReaction, e.close(retried(c)), e.everyCode(every)...)
			}
		}
	})
	for _, f := range src.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			sw, ok := n.(*ast.SwitchStmt)
			if !ok {
				return true
			}
			from, handled := c.switched(sw)
			i := slices.IndexFunc(sw.Body.List, func(s ast.Stmt) bool { return s.(*ast.CaseClause).List == nil })
			if from == nil || i < 0 {
				return true
			}
			rest := slices.DeleteFunc(e.everyCode(every), handled)
			add(sw.Body.List[i].Pos(), summary.ByDefault, e.close(from), rest...)
			return true
		})
	}
	slices.SortStableFunc(list, func(a, b Use) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), strings.Compare(a.Code, b.Code), cmp.Compare(a.How, b.How))
	})
	return slices.Compact(list)
}
