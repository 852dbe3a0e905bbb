package report

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/fields"
	"github.com/errgen/errgen/runtime/internal/finding"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Facts describe the place of an error beyond the error itself. Nil and empty values are unknown.
//
// The evidence of an error also has facts. Its source is the type of the [Source]. If an error has
// no evidence, its field `from: source` has the type, and its field `from: op` the component. The
// attributes component, url or host, and method set the other fields. The query of an address is
// omitted. The attributes finding, file, line and column are the [Finding]. Without them, the
// finding is read from the output of a failed command.
type Facts struct {
	Source *Source
	// Metadata are the program's own facts, such as the task, or the repository that it works on.
	Metadata map[string]any
}

// unknown replaces a required value that is missing.
const unknown = "unknown"

// The metadata that [Occurrence.Enrich] adds.
const (
	enrichedAt       = "enrichedAt"
	enrichmentSource = "enrichmentSource"
	enricher         = "error-context-enricher"
)

// EnrichOptions configure [Occurrence.Enrich].
type EnrichOptions struct {
	// At is the time of the enrichment; zero is now.
	At time.Time
	// StatusSources are those of [Options].
	StatusSources []string
}

// Enrich returns a copy of o with the given facts, which override the known ones. The source is
// merged by field, and metadata by key. The metadata enrichedAt (milliseconds) and enrichmentSource
// record the enrichment.
func (o *Occurrence) Enrich(f Facts, e EnrichOptions) *Occurrence {
	if o == nil {
		return nil
	}
	if e.At.IsZero() {
		e.At = time.Now()
	}
	out := *masked(o)
	out.addFacts(f)
	out.addStatus(e.StatusSources)
	out.masked = false
	enriched := masked(&out)
	enriched.Metadata = merged(enriched.Metadata, map[string]any{
		enrichedAt: float64(e.At.UnixMilli()), enrichmentSource: enricher,
	})
	return enriched
}

// addStatus sets a missing source code to the HTTP status in the message.
func (o *Occurrence) addStatus(sources []string) {
	if o.SourceCode != "" || o.Source == nil || !slices.Contains(sources, o.Source.Type) {
		return
	}
	if status, ok := detect.StatusIn(o.Message); ok {
		o.SourceCode = strconv.Itoa(status)
	}
}

// addEvidence adds the source code, facts and finding in the evidence of the error.
func (o *Occurrence) addEvidence(e *taxonomy.Evidence) {
	if e == nil {
		return
	}
	a := e.Attributes
	if o.SourceCode = e.Code; e.Code == "" && e.Status != 0 {
		o.SourceCode = strconv.Itoa(e.Status)
	}
	o.addFacts(Facts{
		Source: &Source{Type: e.Source, Component: cmp.Or(a["component"], e.Op),
			Endpoint: cmp.Or(a["url"], a["host"]), Method: a["method"]},
	})
	f, ok := finding.Of(a)
	if _, exited := e.ExitCode.Get(); !ok && exited {
		if f, ok = finding.First(e.Output); !ok {
			f, ok = finding.First(e.Text)
		}
	}
	if ok {
		o.Finding = &Finding{Code: f.Code, File: f.File, Line: f.Line, Column: f.Column}
	}
}

// addFields adds the source in the fields of a classified error, which evidence has set.
func (o *Occurrence) addFields(coded taxonomy.Coded) {
	e, ok := coded.(taxonomy.Error)
	if !ok {
		return
	}
	t, row := e.Taxonomy(), e.Row()
	described := t.Fields(row)
	text := func(from string) string {
		i := slices.IndexFunc(described, func(f taxonomy.Field) bool { return slices.Contains(f.From, from) })
		if i < 0 || described[i].Scrub {
			return ""
		}
		switch value := fields.Pointers(e)[i].(type) {
		case *string:
			return *value
		case *taxonomy.Opt[string]:
			return value.Or("")
		}
		return ""
	}
	if source := text("source"); source != "" {
		o.addFacts(Facts{Source: &Source{Type: source, Component: text("op")}})
	}
}

// addFacts merges facts into an occurrence. Structs and maps are replaced and not changed, because
// copies share them.
func (o *Occurrence) addFacts(f Facts) {
	if f.Source != nil {
		s := *f.Source
		s.Endpoint, _, _ = strings.Cut(s.Endpoint, "?")
		s.Endpoint, _, _ = strings.Cut(s.Endpoint, "#")
		known := cmp.Or(o.Source, &Source{})
		s = Source{
			cmp.Or(s.Type, known.Type), cmp.Or(s.Component, known.Component), cmp.Or(s.Endpoint, known.Endpoint),
			cmp.Or(s.Method, known.Method),
		}
		if s != (Source{}) {
			s.Type, s.Component = cmp.Or(s.Type, unknown), cmp.Or(s.Component, unknown)
			o.Source = &s
		}
	}
	if len(f.Metadata) > 0 {
		o.Metadata = merged(o.Metadata, f.Metadata)
	}
}

// merged returns the values of both maps. If both have a key, the given value wins.
func merged(known, given map[string]any) map[string]any {
	out := make(map[string]any, len(known)+len(given))
	maps.Copy(out, known)
	maps.Copy(out, given)
	return out
}
