//go:build !race

package detect_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The race detector makes pools forget some of their values.
func TestMatchAllocatesNothing(t *testing.T) {
	r := onText()
	texts := textRules(patterns(100)...)
	for name, f := range map[string]func(){
		"a status": func() { r.Match(&taxonomy.Evidence{Source: "api", Status: 429}, nil) },
		"nothing":  func() { r.Match(&taxonomy.Evidence{Source: "web", Status: 404, Type: "x", Err: io.EOF}, nil) },
		"an option": func() {
			r.Match(&taxonomy.Evidence{Text: "x"}, []detect.Option{detect.WithSource(taxonomy.SourceName("api"))})
		},
		"a decision": func() {
			var room taxonomy.Evidence
			_, _, _ = r.Decide(&taxonomy.Evidence{Text: "HTTP 404", Err: io.EOF}, &room, nil)
		},
		"a text": func() { texts.Match(&taxonomy.Evidence{Text: "nothing to see"}, nil) },
	} {
		f()
		assert.Zero(t, testing.AllocsPerRun(100, f), name)
	}
}
