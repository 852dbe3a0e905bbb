package command

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"

	"github.com/errgen/errgen/internal/summary"
	"github.com/errgen/errgen/vet/internal/infer"
)

// uses prints which codes the program handles.
func (s *session) uses() error {
	p, err := s.load(s.args)
	if err != nil {
		return err
	}
	out := summary.Uses{Version: summary.UsesVersion, Commit: s.commit(), Domains: make(map[string]string),
		Uses: []summary.Use{}}
	for _, t := range p.Known {
		out.Domains[t.Path] = t.Domain
	}
	for _, pkg := range p.Packages {
		if pkg.Module != nil && out.Module == "" {
			out.Module = pkg.Module.Path
		}
		src := infer.Source{Files: pkg.Syntax, Info: pkg.TypesInfo, FuncOf: p.SSA.FuncValue}
		for _, u := range p.Uses(src) {
			path, code, _ := strings.Cut(u.Code, "#")
			pos := p.Fset.Position(u.Pos)
			at := fmt.Sprintf("%s:%d", s.display(p, pos.Filename), pos.Line)
			out.Uses = append(out.Uses, summary.Use{Package: path, Code: code, How: u.How, At: at})
		}
	}
	enc := json.NewEncoder(s.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("print uses: %w", err)
	}
	return nil
}

// commit returns the commit of the program's repository, or "" if it has none.
func (s *session) commit() string {
	cmd := exec.CommandContext(s.ctx, "git", "rev-parse", "HEAD")
	cmd.Dir = s.dir
	b, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
