package report

import (
	"slices"
	"time"
)

// The metadata that says that an occurrence was enriched.
const (
	enrichedAt       = "enrichedAt"
	enrichmentSource = "enrichmentSource"
	enricher         = "error-context-enricher"
)

// EnrichOptions say how [Occurrence.Enrich] works.
type EnrichOptions struct {
	// At is when the occurrence is enriched, for its metadata; zero is now.
	At time.Time
	// StatusSources are the types of sources in whose messages an HTTP status is looked for where
	// there is no source code.
	StatusSources []string
}

// Enrich returns a copy of o with what facts add to it, and leaves o as it is. Source and execution
// are merged field by field, metadata key by key; a repository replaces the one that is known. What
// is given wins. Where there is no source code, and the source is one of those that the options
// list, it is the status that the message names, from 400 to
// 599. The metadata says when that was done, as milliseconds, under "enrichedAt", and under "enrichmentSource" by whom.
func (o *Occurrence) Enrich(f Facts, e EnrichOptions) *Occurrence {
	if o == nil {
		return nil
	}
	if e.At.IsZero() {
		e.At = time.Now()
	}
	out := clean(o).Clone()
	out.addFacts(f)
	out.addStatus(e.StatusSources)
	out.Metadata = cleanMetadata(mergedMetadata(out.Metadata, map[string]any{
		enrichedAt: float64(e.At.UnixMilli()), enrichmentSource: enricher,
	}))
	return out
}

// addStatus makes the status that the message names the source code where there is none.
func (o *Occurrence) addStatus(sources []string) {
	if o.SourceCode == "" && o.Source != nil && slices.Contains(sources, o.Source.Type) {
		o.SourceCode = statusIn(o.Message)
	}
}
