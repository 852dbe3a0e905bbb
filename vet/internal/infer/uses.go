package infer

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
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
	add := func(pos token.Pos, how summary.How, s *Set, codes []string) {
		for _, code := range codes {
			if possible(s, []string{code}, false) {
				list = append(list, Use{code, how, pos})
			}
		}
	}
	c.instructions(func(call *ssa.Call) { e.usesOfCall(call, add) },
		func(x *ssa.BinOp) { e.usesOfComparison(x, add) })
	for _, f := range src.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if sw, ok := n.(*ast.SwitchStmt); ok {
				c.usesOfDefault(sw, add)
			}
			return true
		})
	}
	slices.SortStableFunc(list, func(a, b Use) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), strings.Compare(a.Code, b.Code), cmp.Compare(a.How, b.How))
	})
	return slices.Compact(list)
}

type addUse func(pos token.Pos, how summary.How, s *Set, codes []string)

func (e *Engine) usesOfCall(call *ssa.Call, add addUse) {
	f := call.Call.StaticCallee()
	if f == nil || len(call.Call.Args) == 0 {
		return
	}
	args := call.Call.Args
	arriving := func(i int) *Set { return e.close(e.valueAt(args[i], call.Block())) }
	name := fullName(f)
	switch t := asTarget(call); {
	case name == "errors.Is":
		if codes := e.codesOf(args[1]); len(codes) > 0 {
			k, _ := unboxed(args[1]).(*ssa.Const)
			own := e.codeConst(k)
			add(call.Pos(), summary.ByCode, arriving(0), []string{own})
			below := slices.DeleteFunc(slices.Clone(codes), func(c string) bool { return c == own })
			add(call.Pos(), summary.ByParent, arriving(0), below)
		}
	case t != nil:
		add(call.Pos(), summary.ByType, arriving(0), e.codesFound(t))
	case asType(call) != nil:
		add(call.Pos(), summary.ByType, arriving(0), e.codesFound(asType(call)))
	case name == runtimePath+"taxonomy.IsRetryable":
		add(call.Pos(), summary.ByRetryable, arriving(0), e.allCodes())
	case name == "("+runtimePath+"taxonomy.Table).Reaction":
		if tax := e.taxonomy(e.tableOf(args[0])); tax != nil {
			add(call.Pos(), summary.ByReaction, arriving(1), tax.where(func(*summary.Code) bool { return true }))
		}
	case name == runtimePath+"retry.Do" || name == runtimePath+"retry.Value":
		if tables, _ := e.tableIn(args[2:]); tables != "" {
			c := &modelled{e: e, args: args, block: call.Block(), at: e.at(call.Pos())}
			add(call.Pos(), summary.ByReaction, e.close(retried(c)), e.allCodes())
		}
	case f.Pkg != nil && e.taxonomy(f.Pkg.Pkg.Path()) != nil:
		tax := e.taxonomy(f.Pkg.Pkg.Path())
		if codes, ok := tax.selected(f.Name()); ok {
			how := summary.ByCategory
			if _, group := tax.Groups[f.Name()]; group {
				how = summary.ByGroup
			}
			add(call.Pos(), how, arriving(0), codes)
		}
	}
}

// codesFound returns the codes of the errors that errors.As finds for a type.
func (e *Engine) codesFound(t types.Type) []string {
	if tax, named := e.codeType(t); tax != nil {
		return e.constants(tax, named)
	}
	return e.codesOfType(t)
}

func (e *Engine) allCodes() (codes []string) {
	for _, t := range e.Known {
		codes = append(codes, t.where(func(*summary.Code) bool { return true })...)
	}
	return codes
}

func (e *Engine) usesOfComparison(x *ssa.BinOp, add addUse) {
	y, k := x.X, x.Y
	if _, ok := y.(*ssa.Const); ok {
		y, k = k, y
	}
	codes, from, _ := e.comparedCode(y, k)
	if from == nil {
		return
	}
	how := summary.ByCode
	if len(codes) > 1 {
		how = summary.ByCategory
	}
	pos := x.Pos()
	if !pos.IsValid() {
		pos = y.Pos()
	}
	if inner, _ := e.typedFrom(from); inner != nil && from == y {
		from = inner
	}
	add(pos, how, e.close(e.valueAt(from, x.Block())), codes)
}

// usesOfDefault adds the codes that reach the default of a switch over codes.
func (c *checker) usesOfDefault(n *ast.SwitchStmt, add addUse) {
	tag, ok := ast.Unparen(n.Tag).(*ast.CallExpr)
	if !ok || c.calls[tag.Lparen] == nil {
		return
	}
	i := slices.IndexFunc(n.Body.List, func(s ast.Stmt) bool { return s.(*ast.CaseClause).List == nil })
	from, handled, ok := c.switched(n, tag)
	if i < 0 || !ok {
		return
	}
	call := c.calls[tag.Lparen]
	rest := slices.DeleteFunc(c.allCodes(), func(key string) bool {
		_, value, _ := strings.Cut(key, "#")
		return handled[key] || handled[value]
	})
	add(n.Body.List[i].Pos(), summary.ByDefault, c.close(c.valueAt(from, call.Block())), rest)
}
