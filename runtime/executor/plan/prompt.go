package plan

import (
	"embed"
	"strings"
	"text/template"

	"github.com/errgen/errgen/runtime/taxonomy"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))

// prompt is the data of the templates.
type prompt struct {
	Plan *Plan
	Step *Step
	Mark string // of the call: a hash that texts from elsewhere cannot contain

	// Of a step.
	Classifies bool
	Labels     []label
	Purpose    string  // of the tier's call; empty for the lowest tier
	Tried      []Tried // the failures of the step so far
	Answers    []string

	// Of a review.
	Report  string
	Changed []string
}

// label is a code that a tier may give to a failure.
type label struct{ Code, Doc string }

// render returns a prompt with secrets masked.
func (p *prompt) render(name string) string {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, name, p); err != nil {
		panic(err) // the templates and their data are this package's
	}
	return taxonomy.Redact(b.String())
}
