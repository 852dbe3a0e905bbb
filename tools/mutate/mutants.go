package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mutant is one change of one file.
type mutant struct {
	path  string // absolute
	pos   token.Position
	kind  string
	edits []edit // in order, apart from each other
	src   []byte
}

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

func (m mutant) String() string {
	first, last := m.edits[0], m.edits[len(m.edits)-1]
	before := string(m.src[first.start:last.end])
	after := string(splice(m.src[:last.end], m.edits)[first.start:])
	return fmt.Sprintf("%s:%d:%d: %s: %s -> %s", filepath.Base(m.path), m.pos.Line, m.pos.Column, m.kind, brief(before),
		brief(after))
}

// apply returns the source with the change in it.
func (m mutant) apply() []byte { return splice(m.src, m.edits) }

func splice(src []byte, edits []edit) []byte {
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(src[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(src[at:])
	return out.Bytes()
}

func brief(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	switch {
	case s == "":
		return "nothing"
	case len(s) > 100:
		return s[:60] + " … " + s[len(s)-30:]
	}
	return s
}

// load returns the mutants of the package in dir, by file and position.
func load(dir, only string) ([]mutant, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("list the package: %w", err)
	}
	var all []mutant
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if only != "" {
			if ok, err := filepath.Match(only, name); err != nil {
				return nil, fmt.Errorf("pattern %q: %w", only, err)
			} else if !ok {
				continue
			}
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("resolve %s: %w", path, err)
		}
		src, err := os.ReadFile(abs)
		if err != nil {
			return nil, fmt.Errorf("read the package: %w", err)
		}
		mutants, err := mutate(abs, src)
		if err != nil {
			return nil, err
		}
		all = append(all, mutants...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("nothing to mutate in %s", dir)
	}
	return all, nil
}

// mutate returns the mutants of one file, by position.
func mutate(path string, src []byte) ([]mutant, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse the package: %w", err)
	}
	f := finder{path: path, src: src, file: fset.File(file.Pos()), kept: map[ast.Stmt]bool{}}
	ast.Inspect(file, f.visit)
	slices.SortStableFunc(f.found, func(a, b mutant) int { return cmp.Compare(a.pos.Offset, b.pos.Offset) })
	return f.found, nil
}

type finder struct {
	path  string
	src   []byte
	file  *token.File
	kept  map[ast.Stmt]bool // statements that are not dropped
	found []mutant
}

// visit collects the mutants of a node; it reports whether to go on below it.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.ValueSpec:
		return !blank(n)
	case *ast.BasicLit:
		f.literal(n)
	case *ast.Ident:
		f.boolean(n)
	case *ast.BinaryExpr:
		f.operator(n)
	case *ast.IfStmt:
		f.negate(n.Cond)
	case *ast.ForStmt:
		f.negate(n.Cond)
	case *ast.SwitchStmt:
		f.cases(n)
	case *ast.FuncDecl:
		f.keepLast(n.Body)
	case *ast.FuncLit:
		f.keepLast(n.Body)
	case *ast.BlockStmt:
		f.drop(n.List)
	case *ast.CaseClause:
		f.drop(n.Body)
	case *ast.CommClause:
		f.drop(n.Body)
	case *ast.CompositeLit:
		f.swap(n)
	}
	return true
}

// blank reports whether a declaration declares nothing: it is an assertion that the compiler
// checks.
func blank(n *ast.ValueSpec) bool {
	return !slices.ContainsFunc(n.Names, func(name *ast.Ident) bool { return name.Name != "_" })
}

func (f *finder) add(kind string, at token.Pos, edits ...edit) {
	f.found = append(f.found, mutant{path: f.path, pos: f.file.Position(at), kind: kind, edits: edits, src: f.src})
}

func (f *finder) edit(n ast.Node, text string) edit {
	return edit{f.file.Offset(n.Pos()), f.file.Offset(n.End()), text}
}

func (f *finder) text(n ast.Node) string {
	return string(f.src[f.file.Offset(n.Pos()):f.file.Offset(n.End())])
}

// literal changes a literal by a little: the next number, one more character.
func (f *finder) literal(n *ast.BasicLit) {
	var text string
	switch n.Kind {
	case token.STRING:
		s, err := strconv.Unquote(n.Value)
		if err != nil {
			return
		}
		text = changed(n.Value, s)
	case token.CHAR:
		text = "(" + n.Value + " + 1)"
	default:
		if i, err := strconv.ParseUint(n.Value, 0, 64); err == nil {
			text = strconv.FormatUint(i+1, 10)
		} else {
			text = "(" + n.Value + " + 1)"
		}
	}
	f.add("literal", n.Pos(), f.edit(n, text))
}

// changed returns a literal for another string, in the same quotes where that can be.
func changed(literal, value string) string {
	if literal[0] == '`' && strings.Contains(value, ":\"") {
		// A struct tag stays one: its first value gets a character more.
		return strings.Replace(literal, ":\"", ":\"X", 1)
	}
	return literal[:len(literal)-1] + "X" + literal[len(literal)-1:]
}

func (f *finder) boolean(n *ast.Ident) {
	switch n.Name {
	case "true":
		f.add("boolean", n.Pos(), f.edit(n, "false"))
	case "false":
		f.add("boolean", n.Pos(), f.edit(n, "true"))
	}
}

// operators holds what takes an operator's place: the other side of the bound, the opposite, the
// other word.
var operators = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD,
	token.MUL: token.QUO, token.QUO: token.MUL,
	token.SHL: token.SHR, token.SHR: token.SHL,
	token.AND: token.OR, token.OR: token.AND,
}

func (f *finder) operator(n *ast.BinaryExpr) {
	other, ok := operators[n.Op]
	if !ok {
		return
	}
	at := f.file.Offset(n.OpPos)
	f.add("operator", n.OpPos, edit{at, at + len(n.Op.String()), other.String()})
}

func (f *finder) negate(cond ast.Expr) {
	if cond != nil {
		f.add("condition", cond.Pos(), f.edit(cond, "!("+f.text(cond)+")"))
	}
}

// cases negates the conditions of a switch without a tag, which are ifs in another form.
func (f *finder) cases(n *ast.SwitchStmt) {
	if n.Tag != nil {
		return
	}
	for _, s := range n.Body.List {
		for _, cond := range s.(*ast.CaseClause).List {
			f.negate(cond)
		}
	}
}

// keepLast keeps a function's last statement if it returns: without it nothing compiles.
func (f *finder) keepLast(body *ast.BlockStmt) {
	if body == nil || len(body.List) == 0 {
		return
	}
	if last, ok := body.List[len(body.List)-1].(*ast.ReturnStmt); ok {
		f.kept[last] = true
	}
}

// drop drops each statement. Declarations stay: what they declare is used.
func (f *finder) drop(list []ast.Stmt) {
	for _, s := range list {
		if f.kept[s] || declares(s) {
			continue
		}
		f.add("statement", s.Pos(), f.edit(s, ""))
	}
}

func declares(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok == token.DEFINE
	case *ast.DeclStmt, *ast.EmptyStmt, *ast.LabeledStmt:
		return true
	}
	return false
}

// swap exchanges neighbouring elements of a list. The order of fields with keys means nothing.
func (f *finder) swap(n *ast.CompositeLit) {
	for i := 1; i < len(n.Elts); i++ {
		a, b := n.Elts[i-1], n.Elts[i]
		if _, keyed := a.(*ast.KeyValueExpr); keyed {
			return
		}
		before, after := f.text(a), f.text(b)
		if before != after {
			f.add("swap", a.Pos(), f.edit(a, after), f.edit(b, before))
		}
	}
}
