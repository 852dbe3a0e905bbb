package command

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/sarif"
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
	if s.format == string(diag.FormatSARIF) || s.format == string(diag.FormatGitHub) {
		files = diag.FromRoot(p.Root, files...)
	}
	if s.format == string(diag.FormatSARIF) {
		err = diag.PrintSARIF(s.Stdout, driver(), files...)
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

// driver describes errgenvet and its rules in a log for services that scan code.
func driver() sarif.Driver {
	d := sarif.Driver{Name: "errgenvet"}
	for _, id := range slices.Sorted(maps.Keys(infer.IDs)) {
		d.Rules = append(d.Rules, sarif.Rule{ID: id, Description: &sarif.Message{Text: infer.IDs[id]}})
	}
	return d
}
