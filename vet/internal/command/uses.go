package command

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"

	"github.com/errgen/errgen/vet/internal/infer"
)

// usesVersion is the version of the format of uses.
const usesVersion = 1

// usesFile is what a program handles. Errgen reads it to find whom a change of a taxonomy concerns.
type usesFile struct {
	Version int    `json:"v"`
	Module  string `json:"module"`
	Commit  string `json:"commit,omitempty"`
	Uses    []use  `json:"uses"`
}

type use struct {
	Package string    `json:"package"` // the generated package
	Code    string    `json:"code"`
	How     infer.How `json:"how"`
	At      string    `json:"at"` // file:line
}

// uses prints which codes the program handles.
func (s *session) uses() error {
	p, err := s.load(s.args)
	if err != nil {
		return err
	}
	out := usesFile{Version: usesVersion, Commit: s.commit(), Uses: []use{}}
	for _, pkg := range p.Packages {
		if pkg.Module != nil && out.Module == "" {
			out.Module = pkg.Module.Path
		}
		src := infer.Source{Files: pkg.Syntax, Info: pkg.TypesInfo, FuncOf: p.SSA.FuncValue}
		for _, u := range p.Uses(src) {
			path, code, _ := strings.Cut(u.Code, "#")
			pos := p.Fset.Position(u.Pos)
			at := fmt.Sprintf("%s:%d", s.display(p, pos.Filename), pos.Line)
			out.Uses = append(out.Uses, use{path, code, u.How, at})
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
