// Package edge classifies the failures that the edges observe: calls over HTTP, databases.
package edge

import (
	"context"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Classify returns the error of the table for a failure of a source: an error or a response. An
// error of the table and a cancellation are returned unchanged. A table without a classifier
// returns evidence for a response.
func Classify(t taxonomy.Table, source string, raw any) error {
	err, isError := raw.(error)
	if isError {
		if _, own := taxonomy.First(err, t.Taxonomy); own || errtree.Is(err, context.Canceled) || t.Classifier == nil {
			return err
		}
	}
	ev := detect.Of(raw)
	if ev.Source == "" {
		ev.Source = source
	}
	if ev.RetryAfter.IsZero() && t.SearchesText() {
		detect.SetWait(&ev)
	}
	return t.Classify(&ev)
}
