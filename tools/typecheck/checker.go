package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// checker checks packages once, however many modules import them.
type checker struct {
	files *token.FileSet
	// known are packages by what they are made of: their files, and the packages that they import.
	known map[string]*checked
	// problems are what is wrong. A file of a package that has tests is checked twice, and is wrong
	// once.
	problems []string
}

func (c *checker) problem(text string) {
	if !slices.Contains(c.problems, text) {
		c.problems = append(c.problems, text)
	}
}

type checked struct {
	id    int
	types *types.Package
}

func newChecker() *checker {
	return &checker{files: token.NewFileSet(), known: map[string]*checked{}}
}

// module checks the packages of a module, each of which stands behind what it imports.
func (c *checker) module(all []*listed) {
	byPath := map[string]*checked{"unsafe": {types: types.Unsafe}}
	for _, l := range all {
		if l.ImportPath == "unsafe" || l.isTestMain() {
			continue
		}
		key := c.key(l, byPath)
		p := c.known[key]
		if p == nil {
			p = &checked{id: len(c.known) + 1, types: c.check(l, byPath)}
			c.known[key] = p
		}
		byPath[l.ImportPath] = p
	}
}

// key tells a package from one that has the same path in another module, and other files or
// imports.
func (c *checker) key(l *listed, byPath map[string]*checked) string {
	var b strings.Builder
	fmt.Fprintln(&b, l.ImportPath, l.Dir, l.GoFiles)
	for _, path := range l.Imports {
		if p := byPath[path]; p != nil {
			fmt.Fprintln(&b, p.id)
		}
	}
	return b.String()
}

// importer finds what a package imports among those that are checked.
type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

func (c *checker) check(l *listed, byPath map[string]*checked) *types.Package {
	if l.Error != nil {
		c.problem(l.ImportPath + ": " + l.Error.Err)
	}
	conf := types.Config{
		IgnoreFuncBodies: !l.isOwn(),
		Sizes:            types.SizesFor("gc", runtime.GOARCH),
		Error:            func(err error) { c.problem(err.Error()) },
		Importer: importer(func(path string) (*types.Package, error) {
			p := byPath[cmp.Or(l.ImportMap[path], path)]
			if p == nil {
				return nil, fmt.Errorf("no package %s", path)
			}
			return p.types, nil
		}),
	}
	if l.Module != nil && l.Module.GoVersion != "" {
		conf.GoVersion = "go" + l.Module.GoVersion
	}
	path, _, _ := strings.Cut(l.ImportPath, " ")
	p, _ := conf.Check(path, c.files, c.parse(l), nil) // what is wrong was told to Error
	return p
}

func (c *checker) parse(l *listed) []*ast.File {
	var all []*ast.File
	for _, name := range l.GoFiles {
		file, err := parser.ParseFile(c.files, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			c.problem(err.Error())
		}
		if file != nil {
			all = append(all, file)
		}
	}
	return all
}
