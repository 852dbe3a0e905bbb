package cli

import (
	"io"

	"github.com/errgen/errgen/internal/diag"
)

// report prints the findings of taxonomies, and returns errFindings if any of them stops the
// command. In text they are the result of lint, and remarks beside the result of other commands;
// what a machine reads is always on standard output.
func (s *session) report(all []*loaded, o *options, w io.Writer) error {
	if o.format != diag.FormatText {
		w = s.Stdout
	}
	stop := false
	var files []diag.FileFindings
	for _, l := range all {
		findings := l.findings
		stop = stop || l.model == nil || o.strict && len(findings) > 0
		if o.quiet && !o.strict {
			findings = onlyErrors(findings)
		}
		files = append(files, diag.FileFindings{Source: l.source, Findings: findings})
	}
	if err := diag.Print(w, o.format, files...); err != nil {
		return err
	}
	if stop {
		return errFindings
	}
	return nil
}
