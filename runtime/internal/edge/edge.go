// Package edge classifies the failures that the edges observe: calls over HTTP, databases.
package edge

import (
	"context"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Classify returns the error of the table for a failure of a source. An error of the table and a
// cancellation are returned unchanged, and so is every error if the table has no classifier.
func Classify(t taxonomy.Table, source string, err error) error {
	if _, own := taxonomy.First(err, t.Taxonomy); own || errtree.Is(err, context.Canceled) || t.Classifier == nil {
		return err
	}
	ev := detect.Of(err)
	if ev.Source == "" {
		ev.Source = source
	}
	if ev.RetryAfter.IsZero() && t.SearchesText() {
		detect.SetWait(&ev)
	}
	return t.Classify(&ev)
}
