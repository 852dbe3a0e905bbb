package htmlreport

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/errgen/errgen/runtime/report"
)

// Options say what is on the page besides the snapshot, and how much of it. The zero Options are
// the defaults.
type Options struct {
	// Forecasts are shown in the order in which they come; without one, the page has no such
	// section.
	Forecasts []Forecast
	// MaxGroups is how many groups are shown, those with the most errors; 0 is 500. Each has one to
	// two KB of the page, without its details.
	MaxGroups int
	// MaxLatest is how many of the latest errors are shown; 0 is 50.
	MaxLatest int
}

const (
	defaultGroups = 500
	defaultLatest = 50
	// maxForecasts and maxOutcomes bound the tables whose length no option says.
	maxForecasts = 50
	maxOutcomes  = 50
)

//go:embed page
var files embed.FS

// assets are what is the same on every page.
type assets struct {
	page   *template.Template
	style  template.CSS
	script template.JS
	policy string
}

var loaded = sync.OnceValues(func() (*assets, error) {
	page, err := template.New("page").Funcs(template.FuncMap{"whole": whole}).ParseFS(files, "page/*.html")
	if err != nil {
		return nil, err
	}
	style, err := files.ReadFile("page/style.css")
	if err != nil {
		return nil, err
	}
	script, err := files.ReadFile("page/script.js")
	if err != nil {
		return nil, err
	}
	policy := fmt.Sprintf(
		"default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'; "+
			"require-trusted-types-for 'script'",
		digest(style), digest(script))
	return &assets{page: page, style: template.CSS(style), script: template.JS(script), policy: policy}, nil
})

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Write writes the page. Nothing is written when it cannot be made; otherwise the only error is
// that of w.
func Write(w io.Writer, s report.Snapshot, o Options) error {
	a, err := loaded()
	if err != nil {
		return fmt.Errorf("read the page's template: %w", err)
	}
	p := newPage(s, o)
	p.Policy, p.Style, p.Script = a.policy, a.style, a.script
	var b bytes.Buffer
	if err := a.page.ExecuteTemplate(&b, "page.html", p); err != nil {
		return fmt.Errorf("make the page: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
