package command

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/vet/internal/infer"
	"github.com/errgen/errgen/vet/internal/program"
)

// check prints the findings of a program.
func (s *session) check() error {
	if !slices.Contains([]string{"text", "json", "github", "sarif"}, s.format) {
		return fmt.Errorf("unknown format %q: use text, json, github or sarif", s.format)
	}
	p, err := s.load(s.args)
	if err != nil {
		return err
	}
	files, err := s.findings(p)
	if err != nil {
		return err
	}
	if s.format == "sarif" {
		err = printSARIF(s.Stdout, files)
	} else {
		err = diag.Print(s.Stdout, diag.Format(s.format), files...)
	}
	if err == nil && len(files) > 0 {
		err = errFindings
	}
	return err
}

// findings returns those of all packages, by file.
func (s *session) findings(p *program.Program) ([]diag.FileFindings, error) {
	byFile := make(map[string][]diag.Finding)
	sources := make(map[string]*diag.Source)
	for _, pkg := range p.Packages {
		src := infer.Source{Files: pkg.Syntax, Info: pkg.TypesInfo, FuncOf: p.SSA.FuncValue}
		for _, f := range p.Findings(src) {
			pos := p.Fset.Position(f.Pos)
			if sources[pos.Filename] == nil {
				content, err := os.ReadFile(pos.Filename)
				if err != nil {
					return nil, fmt.Errorf("read the source of a finding: %w", err)
				}
				sources[pos.Filename] = diag.NewSource(s.display(p, pos.Filename), content)
			}
			column := pos.Column
			line := sources[pos.Filename].Line(pos.Line)
			if column-1 <= len(line) {
				column = utf8.RuneCountInString(line[:column-1]) + 1
			}
			byFile[pos.Filename] = append(byFile[pos.Filename], diag.Finding{
				ID: f.ID, Severity: diag.Error, Span: diag.Span{Line: pos.Line, Col: column}, Message: f.Message,
			})
		}
	}
	var files []diag.FileFindings
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		diag.Sort(byFile[name])
		files = append(files, diag.FileFindings{Source: sources[name], Findings: byFile[name]})
	}
	return files, nil
}

// display returns the name of a file relative to the directory of the command.
func (s *session) display(p *program.Program, file string) string {
	if rel, err := filepath.Rel(p.Root, file); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return file
}

// printSARIF writes a log in the Static Analysis Results Interchange Format, version 2.1.0.
func printSARIF(w io.Writer, files []diag.FileFindings) error {
	type object = map[string]any
	rules, results := []object{}, []object{}
	for _, id := range slices.Sorted(maps.Keys(infer.IDs)) {
		rules = append(rules, object{"id": id, "shortDescription": object{"text": infer.IDs[id]}})
	}
	for _, file := range files {
		uri := (&url.URL{Path: file.Source.Name}).String()
		for _, f := range file.Findings {
			results = append(results, object{
				"ruleId": f.ID, "level": "error", "message": object{"text": f.Message},
				"locations": []object{{"physicalLocation": object{
					"artifactLocation": object{"uri": uri},
					"region":           object{"startLine": f.Span.Line, "startColumn": f.Span.Col},
				}}},
			})
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{
			"tool":    object{"driver": object{"name": "errgenvet", "rules": rules}},
			"results": results,
		}},
	})
}
