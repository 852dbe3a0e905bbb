package infer

import (
	"go/types"
	"slices"
	"strings"
)

// Contract is a directive //errgen:errors: the codes that a function, an interface's method or a
// function in a field may return.
type Contract struct {
	Codes []string // the words of the directive
	Keys  []string // what the words name, see CodeNamed
	At    string
}

// AFact makes Contract a fact.
func (*Contract) AFact() {}

// promised returns what a contract permits. A contract does not limit causes and the end of a
// context, which are those of the inferred set.
func (e *Engine) promised(c *Contract, inferred *Set, at string) *Set {
	out := new(Set)
	for a, p := range inferred.All() {
		if a.Below || a.Kind == Ended || a.onlyCause() {
			out.add(a, p)
		}
	}
	for i, word := range c.Codes {
		if word == ForeignWord {
			out.add(Atom{Kind: Foreign, Name: "a contract with foreign errors"}, []string{at, c.At})
		}
		for _, key := range e.permits(c.Keys[i]) {
			out.add(Atom{Kind: Code, Name: key}, []string{at, c.At})
		}
	}
	return out
}

// permits returns the codes that a code in a contract permits: itself, and those below it.
func (e *Engine) permits(key string) []string {
	path, value, _ := strings.Cut(key, "#")
	t := e.taxonomy(path)
	if t == nil {
		return nil
	}
	return slices.DeleteFunc(t.below(value), func(key string) bool {
		_, value, _ := strings.Cut(key, "#")
		return t.Find(value).Factory == "" // abstract
	})
}

// ForeignWord is the word of a contract for errors without a code.
const ForeignWord = "foreign"

// CodeNamed returns the key of a code that a directive in a package names: CODE, errs.CODE, or with
// more of the import path. The taxonomies that the package imports come first.
func (e *Engine) CodeNamed(pkg *types.Package, word string) string {
	path, value := "", word
	if i := strings.LastIndexByte(word, '.'); i >= 0 {
		path, value = "/"+word[:i], word[i+1:]
	}
	found := "?#" + word
	for _, t := range e.Known {
		if !strings.HasSuffix("/"+t.Path, path) || t.Find(value) == nil {
			continue
		}
		if slices.ContainsFunc(pkg.Imports(), func(i *types.Package) bool { return i.Path() == t.Path }) {
			return t.Key(value)
		}
		if found[0] == '?' {
			found = t.Key(value)
		}
	}
	return found
}

func (e *Engine) codesNamed(pkg *types.Package, words []string) (keys []string) {
	for _, word := range words {
		keys = append(keys, e.CodeNamed(pkg, word))
	}
	return keys
}

// NameOf returns the shortest word for a code in a directive of a package.
func (e *Engine) NameOf(pkg *types.Package, key string) string {
	path, value, _ := strings.Cut(key, "#")
	word := value
	for at := len(path); e.CodeNamed(pkg, word) != key && at > 0; {
		at = max(0, strings.LastIndexByte(path[:at], '/'))
		word = strings.TrimPrefix(path[at:], "/") + "." + value
	}
	return word
}
