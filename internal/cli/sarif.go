package cli

import (
	"cmp"

	"github.com/errgen/errgen/internal/sarif"
)

// uncoded is the rule of a cause without a code.
const uncoded = "failure"

// sarifLog returns the causes as results. The location of a result is the place in the program, if
// the log names one, or else the line of the log, which is always a related location.
func sarifLog(all []*diagnosis) sarif.Log {
	var results []sarif.Result
	for _, d := range all {
		if d.Cause == nil {
			continue
		}
		c := d.Cause
		inLog := sarif.At(d.Log, sarif.Region{Line: c.Line}, "line of the log")
		result := sarif.Result{RuleID: cmp.Or(c.Code, uncoded), Level: "error", Message: sarif.Message{Text: c.Text},
			Locations: []sarif.Location{inLog}, RelatedLocations: []sarif.Location{inLog}}
		if c.File != "" {
			place := sarif.Region{Line: max(c.FileLine, 1), Column: c.Column}
			result.Locations = []sarif.Location{sarif.At(c.File, place, "")}
		}
		for _, f := range d.Side {
			side := sarif.At(d.Log, sarif.Region{Line: f.Line}, "side failure: "+f.Text)
			result.RelatedLocations = append(result.RelatedLocations, side)
		}
		if d.Traits != nil {
			result.Properties = map[string]any{
				"like": c.Like, "reaction": d.Traits.Reaction.Action, "retryable": d.Traits.Retryable,
			}
		}
		results = append(results, result)
	}
	return sarif.New(sarif.Driver{Name: "errgen triage"}, results...)
}
