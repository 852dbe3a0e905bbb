package cli

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/gouse"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

func unusedFlags(fs *flag.FlagSet, o *options) {
	fs.StringVar(&o.taxonomy, "taxonomy", defaultFile, "read the codes of the taxonomy `FILE`")
	directoryFlag(fs, o,
		"the generated package is in `DIR`, not in a directory named like it beside the taxonomy")
	fs.BoolVar(&o.tests, "tests", false, "count the codes that tests create")
	findingFormats(fs, o)
}

func (s *session) unused(o *options, args []string) error {
	l, err := s.valid([]string{o.taxonomy})
	if err != nil {
		return err
	}
	dir := o.dir
	if dir == "" {
		dir = filepath.Join(l.dir(), l.model.Name)
	}
	uses, err := gouse.Find(s.ctx, s.path("."), s.path(dir), o.tests, args...)
	if err != nil {
		return fmt.Errorf("unused: %w", err)
	}
	given := givenCodes(l.model.Decl)
	var findings []diag.Finding
	var deprecated []*model.Code
	for _, c := range l.model.Codes {
		switch {
		case c.Abstract || isCreated(uses, c) || len(c.Rules) > 0 || given[c.Name]:
		case isNeeded(c, s.now()):
			deprecated = append(deprecated, c)
		default:
			findings = append(findings, s.unusedCode(l.tree, c, uses))
		}
	}
	if len(deprecated) > 0 {
		s.note("%d deprecated and not created; when no program has them any more, remove them: %s",
			len(deprecated), reservation(l.tree, deprecated...)+days(deprecated))
	}
	findings = check.ApplyIgnores(l.tree, findings, func(id string) bool { return id == check.IDUnusedCode })
	diag.Sort(findings)
	return s.printFindings(o, s.Stdout, len(findings) > 0, diag.FileFindings{Source: l.source, Findings: findings})
}

// isNeeded reports whether a code is deprecated and its last day has not passed. It is kept for a
// release, so that old programs and logs are read.
func isNeeded(c *model.Code, now time.Time) bool {
	day := c.Decl.RemoveAfter
	return c.Extras().Deprecated != "" && (!day.Set || now.UTC().Format(time.DateOnly) <= day.V)
}

// days returns the last days of codes, as the end of a note.
func days(list []*model.Code) string {
	var out []string
	for _, c := range list {
		if day := c.Decl.RemoveAfter; day.Set {
			out = append(out, c.Name+" after "+day.V)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "; " + strings.Join(out, ", ")
}

// isCreated reports whether Go code can create an error of a code. The constant is an error too, so
// each use of it that is not a comparison counts.
func isCreated(uses gouse.Uses, c *model.Code) bool {
	return len(uses[c.Factory]) > 0 ||
		slices.ContainsFunc(uses[c.Const], func(u gouse.Use) bool { return !u.Compared })
}

// givenCodes returns the codes that the taxonomy refers to, such as the fallback. A reference in
// replaced_by does not count.
func givenCodes(t *spec.Taxonomy) map[string]bool {
	refs := make(map[string]int)
	t.Names(func(n spec.Name) {
		if n.Ref == spec.RefCode && !n.Declares {
			refs[n.V]++
		}
	})
	for _, category := range t.Categories {
		for _, code := range category.Codes {
			refs[code.ReplacedBy.V]-- // the code that it replaces does not create it
		}
	}
	given := make(map[string]bool)
	for code, n := range refs {
		given[code] = n > 0
	}
	return given
}

func (s *session) unusedCode(t *spec.Taxonomy, c *model.Code, uses gouse.Uses) diag.Finding {
	f := diag.Finding{
		ID: check.IDUnusedCode, Severity: diag.Warning, Span: c.Decl.Name.Span,
		Message: fmt.Sprintf("nothing creates %s: no Go code calls %s, and no rule gives it", c.Name, c.Factory),
		Hint: `call it, or remove it if it was never released; otherwise set "deprecated" for a release, then ` +
			"remove the code and reserve it: " + reservation(t, c),
	}
	if day := c.Decl.RemoveAfter; day.Set {
		f.Message = fmt.Sprintf("%s is deprecated, nothing creates it, and its last day was %s", c.Name, day.V)
		f.Hint = "remove it, and reserve it: " + reservation(t, c)
	}
	if at := uses[c.Const]; len(at) > 0 {
		file := at[0].Filename
		if dir, err := filepath.Abs(s.path(".")); err == nil {
			if rel, err := filepath.Rel(dir, file); err == nil {
				file = rel
			}
		}
		f.Message += fmt.Sprintf("; %s is compared at %s:%d", c.Const, file, at[0].Line)
	}
	return f
}

// reservation returns the key `reserved` of the taxonomy with some codes.
func reservation(t *spec.Taxonomy, list ...*model.Code) string {
	var numbers []breaking.ReservedNumber
	var codes []string
	for _, c := range list {
		if c.Numbered {
			number := breaking.ReservedNumber{From: c.Number}
			if t.Numbers.V == "per_category" {
				number.Category = c.Category.Name
			}
			numbers = append(numbers, number)
		}
		codes = slices.Concat(codes, []string{c.Value}, c.Extras().Aliases, c.Extras().Names)
	}
	return breaking.Reservation(&t.Reserved, codes, numbers, " ")
}
