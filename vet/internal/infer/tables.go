package infer

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A table classifies errors. It is the variable Table of a generated package, or what the caller
// passes as a parameter. Operations name tables by these words, separated by "|": the path of a
// package, "$owner:i" for parameter i, and "?" for a table that is not known.

const unknownTable = "?"

const tableReason = "classified by a table that is not a variable of a generated package"

// anySource is the source of failures whose source is not known. With received, the table decodes
// errors, and classifies all other values. With decoded, it only decodes.
const (
	anySource = "?"
	received  = "*"
	decoded   = "+"
)

// tables returns the words of the tables that a value can be.
func (e *Engine) tables(v ssa.Value) string {
	var words []string
	add := func(word string) {
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	for a := range e.value(v).All() {
		switch {
		case a.Kind == Table:
			add(a.Name)
		case a.Kind == Param && a.Ops == "":
			add(fmt.Sprintf("$%s:%d", a.Owner, a.Index))
		default:
			add(unknownTable)
		}
	}
	return strings.Join(words, "|")
}

// tableSymbol returns the parameter of a word, if it is one.
func tableSymbol(word string) (owner string, index int, ok bool) {
	i := strings.LastIndexByte(word, ':')
	if i < 0 || word[0] != '$' {
		return "", 0, false
	}
	_, err := fmt.Sscan(word[i+1:], &index)
	return word[1:i], index, err == nil
}

// tableOf returns the path of the generated package whose Table a value is, or "".
func (e *Engine) tableOf(v ssa.Value) (path string) {
	for a := range e.close(e.value(v)).All() {
		if a.Kind != Table || path != "" && a.Name != path {
			return ""
		}
		path = a.Name
	}
	return path
}

// bindTables replaces the parameters of a function by the arguments of a call in operations.
func (e *Engine) bindTables(ops, owner string, args []ssa.Value) string {
	if !strings.Contains(ops, "$"+owner+":") {
		return ops
	}
	list := strings.SplitAfter(ops, ";")
	for i, op := range list {
		j := strings.LastIndexByte(op, '#')
		if op == "" || op[0] != 'c' || j < 0 {
			continue
		}
		words := strings.Split(op[1:j], "|")
		for k, word := range words {
			if o, index, ok := tableSymbol(word); ok && o == owner && index < len(args) {
				words[k] = e.tables(args[index])
			}
		}
		list[i] = "c" + strings.Join(words, "|") + op[j:]
	}
	return strings.Join(list, "")
}

// classify adds what tables make of an atom.
func (e *Engine) classify(out *Set, a Atom, p []string, spec, at string) {
	i := strings.LastIndexByte(spec, '#')
	for word := range strings.SplitSeq(spec[:i], "|") {
		switch {
		case a.Below, a.Kind == Ended, a.Kind == Code && strings.HasPrefix(a.Name, word+"#"):
			out.add(a, p)
			continue
		case a.Kind == Unknown: // it may have any code of the taxonomy, or be the end of a context
			out.add(a, p)
		case a.Kind == Foreign && !strings.HasPrefix(a.Name, valuePrefix):
			out.add(Atom{Kind: Ended, Name: "a context's end, which Classify does not change"}, p)
		case a.Kind == Code && e.taxonomy(word) == nil: // it may be of this table
			out.add(a, p)
		}
		for c := range e.classified(word, spec[i+1:], at).All() {
			out.add(c, p) // the witness is the failure that was classified
		}
	}
}

// classified returns the errors that a table makes of failures of a source.
func (e *Engine) classified(word, source, at string) *Set {
	if owner, i, ok := tableSymbol(word); ok {
		return one(Atom{Kind: Param, Owner: owner, Index: i, Ops: "k" + source + ";"}, at)
	}
	t := e.taxonomy(word)
	switch {
	case t == nil:
		return one(Atom{Kind: Unknown, Name: tableReason}, at)
	case source == received:
		return union(t.decoded(at), t.classified("", at))
	case source == decoded:
		return t.decoded(at)
	}
	return t.classified(source, at)
}

// classifiedByAll is classified for several tables.
func (e *Engine) classifiedByAll(words, source, at string) *Set {
	out := new(Set)
	for word := range strings.SplitSeq(words, "|") {
		if word != "" {
			out.addAll(e.classified(word, source, at))
		}
	}
	return out
}

// options are the calls that make options for a variadic parameter.
type options struct {
	made []*ssa.Call
	open bool // whether there may be more
}

// optionsIn returns the options for a parameter, also those that are appended to others.
func optionsIn(v ssa.Value) (o options) {
	values, known := elements(v)
	o.open = !known
	if call, ok := v.(*ssa.Call); ok && isBuiltin(call.Common(), "append") {
		o.open = false
		for _, x := range call.Call.Args {
			more := optionsIn(x)
			o.made, o.open = append(o.made, more.made...), o.open || more.open
		}
	}
	for _, x := range values {
		if call, ok := x.(*ssa.Call); ok && call.Call.StaticCallee() != nil {
			o.made = append(o.made, call)
		} else {
			o.open = true
		}
	}
	return o
}

// args returns the arguments of the first option that a function of the runtime made, or nil.
func (o options) args(maker string) []ssa.Value {
	for _, call := range o.made {
		if fullName(call.Call.StaticCallee()) == runtimePath+maker {
			return call.Call.Args
		}
	}
	return nil
}

// sourceIn returns the source in the options of Classify, or "" without one.
func sourceIn(v ssa.Value) string {
	o := optionsIn(v)
	switch args := o.args("detect.WithSource"); {
	case o.open:
		return anySource
	case args != nil:
		return sourceName(args[0])
	}
	return ""
}

// sourceName returns the source that a constant names.
func sourceName(v ssa.Value) string {
	if s, ok := constString(v); ok {
		return s
	}
	return anySource
}

// tableIn returns the words of the table in the options of retry.Do, or "" without one, and the
// source. An option from elsewhere can have any table.
func (e *Engine) tableIn(v ssa.Value) (tables, source string) {
	o := optionsIn(v)
	if args := o.args("retry.ByTable"); args != nil {
		tables = e.tables(args[0])
	}
	if args := o.args("retry.WithClassifier"); args != nil {
		f, ok := unboxed(args[0]).(*ssa.Function)
		if !ok || f.Pkg == nil || e.taxonomy(f.Pkg.Pkg.Path()) == nil {
			return unknownTable, ""
		}
		tables, source = f.Pkg.Pkg.Path(), sourceIn(args[1])
	}
	if o.open {
		tables = strings.TrimPrefix(tables+"|"+unknownTable, "|")
	}
	return tables, source
}
