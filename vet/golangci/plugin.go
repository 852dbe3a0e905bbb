// Package golangci registers the analyzer as a plugin of golangci-lint v2, which is built with it.
// See docs/vet.md for the two files that this needs.
package golangci

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/errgen/errgen/vet"
)

func init() { register.Plugin(vet.Analyzer.Name, New) }

// New returns the plugin. It has no settings.
func New(any) (register.LinterPlugin, error) { return plugin{}, nil }

type plugin struct{}

func (plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{vet.Analyzer}, nil
}

func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
