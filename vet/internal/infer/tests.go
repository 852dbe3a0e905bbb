package infer

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/errgen/errgen/internal/summary"
)

// test is a condition on an error, such as errors.Is(err, errs.CodeX). It narrows the error, is
// dead if it finds none of its codes, and is a use of them.
type test struct {
	err     ssa.Value
	pos     token.Pos
	yes, no string      // the operation on the error if the condition holds, and if not
	how     summary.How // empty if the test only narrows
	codes   []string    // that the test finds
	head    bool        // causes do not count
	name    string      // of the codes in findings; empty if the test is never dead
}

// tests returns the tests of a call, a comparison or a condition.
func (e *Engine) tests(cond ssa.Value) []test {
	list, ok := e.testsOf[cond]
	if !ok {
		list = e.findTests(cond)
		e.testsOf[cond] = list
	}
	return list
}

func (e *Engine) findTests(cond ssa.Value) []test {
	switch c := cond.(type) {
	case *ssa.Extract:
		switch t := c.Tuple.(type) {
		case *ssa.Call:
			return e.testsOfCall(t)
		case *ssa.TypeAssert:
			if codes := e.codesOfType(t.AssertedType); codes != nil && c.Index == 1 {
				return []test{{err: t.X, pos: c.Pos(), yes: opOf('t', codes...)}}
			}
		}
	case *ssa.Call:
		return e.testsOfCall(c)
	case *ssa.BinOp:
		list := e.testsOfComparison(c)
		if c.Op == token.NEQ {
			for i := range list {
				list[i].yes, list[i].no = list[i].no, list[i].yes
			}
		}
		return list
	}
	return nil
}

func (e *Engine) testsOfCall(c *ssa.Call) []test {
	callee := c.Call.StaticCallee()
	if callee == nil || len(c.Call.Args) == 0 {
		return nil
	}
	t := test{err: c.Call.Args[0], pos: c.Pos()}
	filters := func(yes, no byte) []test {
		t.yes, t.no = opOf(yes, t.codes...), opOf(no, t.codes...)
		return []test{t}
	}
	switch name := fullName(callee); {
	case name == "errors.Is":
		if t.codes = e.codesOf(c.Call.Args[1]); t.codes != nil {
			t.how, t.name = summary.ByCode, e.ownCode(c.Call.Args[1])
			return filters('+', '-')
		}
	case asTarget(c) != nil:
		return e.typeTest(t, asTarget(c))
	case asType(c) != nil:
		return e.typeTest(t, asType(c))
	case name == runtimePath+"taxonomy.IsRetryable":
		t.how = summary.ByRetryable
		retryable := func(answers ...string) []string {
			return e.everyCode(func(c *summary.Code) bool { return slices.Contains(answers, c.Retryable) })
		}
		t.codes = e.everyCode(func(*summary.Code) bool { return true })
		t.yes, t.no = opOf('h', retryable(summary.Yes, summary.Depends)...), opOf('x', retryable(summary.Yes)...)
		return []test{t}
	case callee.Pkg != nil && e.taxonomy(callee.Pkg.Pkg.Path()) != nil:
		tax := e.taxonomy(callee.Pkg.Pkg.Path())
		if codes, ok := tax.selected(callee.Name()); ok {
			t.codes, t.how = codes, summary.ByCategory
			if _, group := tax.Groups[callee.Name()]; group {
				t.how = summary.ByGroup
			}
			return filters('h', 'x')
		}
	}
	return nil
}

// typeTest completes the test of errors.As or errors.AsType for a type.
func (e *Engine) typeTest(t test, typ types.Type) []test {
	yes, no := byte('T'), byte('y')
	t.how, t.name = summary.ByType, types.TypeString(typ, shortPkg)
	t.codes = e.codesOfType(typ)
	if tax, _ := e.codeType(typ); tax != nil { // it finds the codes of errors, and constants
		yes, no = '+', '-'
		t.codes = e.codesOfCodeType(typ)
	}
	if len(t.codes) == 0 {
		return nil
	}
	t.yes, t.no = opOf(yes, t.codes...), opOf(no, t.codes...)
	return []test{t}
}

// testsOfComparison returns the tests of an equality: with nil, of err.Code() or
// taxonomy.CodeOf(err), of a code that errors.AsType found, or of an error with a code constant.
func (e *Engine) testsOfComparison(c *ssa.BinOp) []test {
	x, y := c.X, c.Y
	if constantOf(x) != nil {
		x, y = y, x
	}
	k := constantOf(y)
	if k == nil || c.Op != token.EQL && c.Op != token.NEQ {
		return nil
	}
	pos := c.Pos()
	if !pos.IsValid() { // of a case
		pos = x.Pos()
	}
	from, typ := e.typedFrom(x)
	if k.IsNil() {
		list := []test{{err: x, pos: pos, yes: "0"}}
		if from != nil {
			for _, t := range e.typeTest(test{err: from, pos: pos}, typ) {
				list = append(list, test{err: from, pos: pos, yes: t.no, no: t.yes})
			}
		}
		return list
	}
	if k.Value == nil {
		return nil
	}
	own := e.codeConst(k)
	t := test{err: x, pos: pos, how: summary.ByCode, head: true, codes: []string{own}}
	if code, ok := x.(*ssa.Convert); ok {
		x = code.X
	}
	call, _ := x.(*ssa.Call)
	inner := ssa.Value(nil) // the error in which errors.As found the one that is tested
	switch tax, _ := e.codeType(x.Type()); {
	case own != "" && from != nil && tax != nil: // a code that errors.AsType found
		inner, t.err = from, from
	case own != "" && types.IsInterface(x.Type()):
		return []test{{err: x, pos: pos, yes: opOf('h', e.codesOf(k)...)}}
	case call == nil || call.Call.StaticCallee() == nil || len(call.Call.Args) == 0:
		return nil
	case own != "" && call.Call.StaticCallee().Name() == "Code":
		t.err = embedding(call.Call.Args[0])
		inner, _ = e.typedFrom(t.err)
	case own != "" || k.Value.Kind() == constant.String:
		t.err = call.Call.Args[0]
		_, name, ok := strings.Cut(own, "#")
		if !ok {
			name = constant.StringVal(k.Value)
		}
		e.testName(&t, call.Call.StaticCallee(), name)
	default:
		return nil
	}
	if len(t.codes) == 0 {
		return nil
	}
	t.yes, t.no = opOf('h', t.codes...), opOf('x', t.codes...)
	if t.how == "" { // no code
		t.yes, t.no = t.no, t.yes
	} else {
		_, t.name, _ = strings.Cut(t.codes[0], "#")
	}
	if inner == nil {
		return []test{t}
	}
	// If the code differs, that of another error in the tree may not.
	return []test{t, {err: inner, pos: pos, yes: opOf('+', t.codes...), no: t.no}}
}

// testName completes the comparison of a code's name, or a category's, with a result of CodeOf or
// CategoryOf.
func (e *Engine) testName(t *test, callee *ssa.Function, name string) {
	t.codes = nil
	switch pkg := callee.Pkg; {
	case fullName(callee) == runtimePath+"taxonomy.CodeOf" && name == "":
		t.how, t.codes = "", e.everyCode(func(*summary.Code) bool { return true })
	case fullName(callee) == runtimePath+"taxonomy.CodeOf":
		for _, tax := range e.Known {
			t.codes = append(t.codes, tax.Key(name))
		}
	case callee.Name() == "CategoryOf" && pkg != nil:
		t.how = summary.ByCategory
		category := func(c *summary.Code) bool { return c.Category == name }
		if tax := e.taxonomy(pkg.Pkg.Path()); tax != nil {
			t.codes = tax.where(category)
		} else if strings.HasPrefix(pkg.Pkg.Path()+"/", runtimePath) {
			t.codes = e.everyCode(category)
		}
	}
}

// everyCode returns the codes of all taxonomies that a function selects.
func (e *Engine) everyCode(selects func(*summary.Code) bool) (codes []string) {
	for _, t := range e.Known {
		codes = append(codes, t.where(selects)...)
	}
	return codes
}

// ownCode returns the code of a value that is a code constant.
func (e *Engine) ownCode(v ssa.Value) string {
	k, _ := unboxed(v).(*ssa.Const)
	_, value, _ := strings.Cut(e.codeConst(k), "#")
	return value
}

// typedFrom returns the error that x was taken from by errors.AsType, errors.As or an assertion,
// and the type.
func (e *Engine) typedFrom(x ssa.Value) (ssa.Value, types.Type) {
	switch x := x.(type) {
	case *ssa.Extract:
		if call, ok := x.Tuple.(*ssa.Call); ok && x.Index == 0 {
			if t := asType(call); t != nil {
				return call.Call.Args[0], t
			}
		}
		if ta, ok := x.Tuple.(*ssa.TypeAssert); ok && x.Index == 0 {
			return ta.X, ta.AssertedType
		}
	case *ssa.TypeAssert:
		return x.X, x.AssertedType
	case *ssa.UnOp:
		if a, ok := x.X.(*ssa.Alloc); ok {
			for _, r := range *a.Referrers() {
				mi, ok := r.(*ssa.MakeInterface)
				if !ok {
					continue
				}
				for _, u := range *mi.Referrers() {
					if call, ok := u.(*ssa.Call); ok && asTarget(call) != nil {
						return call.Call.Args[0], deref(a.Type())
					}
				}
			}
		}
	}
	return nil, nil
}

// asType returns the type argument of a call of errors.AsType, or nil.
func asType(call *ssa.Call) types.Type {
	if f := call.Call.StaticCallee(); f != nil && len(f.TypeArgs()) == 1 && fullName(f) == "errors.AsType" {
		return f.TypeArgs()[0]
	}
	return nil
}

// asTarget returns the type that a call of errors.As looks for, or nil.
func asTarget(call *ssa.Call) types.Type {
	if f := call.Call.StaticCallee(); f != nil && f.Name() == "As" && fullName(f) == "errors.As" {
		if mi, ok := call.Call.Args[1].(*ssa.MakeInterface); ok {
			return deref(mi.X.Type())
		}
	}
	return nil
}
