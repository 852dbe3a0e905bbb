package report

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

// embedding is a sink of a program, with a Report of its own.
type embedding struct {
	*Reporter
	told int
}

func (e *embedding) Report(o *Occurrence) { e.told++ }

// What a reporter and groups share is neither the caller's nor that of who asks for it.
func TestSinksShareNothingThatChanges(t *testing.T) {
	reporter, groups, own := NewReporter(ReporterOptions{}), NewGroups(GroupOptions{}),
		&embedding{Reporter: NewReporter(ReporterOptions{})}
	o := occurrence("c", "low", "m")
	o.Metadata = map[string]any{"list": []any{"a"}}
	o.Context = json.RawMessage(`{"a":1}`)
	o.Cause = &Occurrence{Message: "because"}
	want := o.Clone()
	Sinks{reporter, groups, own}.Report(o)
	Sinks{reporter, groups, own}.Report(nil)
	spoil := func(o *Occurrence) {
		o.Metadata["list"].([]any)[0] = "b"
		o.Context[1] = 'x'
		o.Cause.Message = "spoilt"
	}
	spoil(o)
	for range 2 {
		last, kept := reporter.Last(1)[0], groups.All()[0].Errors[0]
		assert.Equal(t, *want, last)
		assert.Equal(t, *want, kept)
		spoil(&last)
		spoil(&kept)
	}
	assert.Equal(t, 1, own.told, "its own Report is called")
}
