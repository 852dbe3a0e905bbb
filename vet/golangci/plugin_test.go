package golangci_test

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"

	"github.com/errgen/errgen/vet"
	_ "github.com/errgen/errgen/vet/golangci"
)

func TestPlugin(t *testing.T) {
	newPlugin, err := register.GetPlugin("errgenvet")
	require.NoError(t, err)
	p, err := newPlugin(nil)
	require.NoError(t, err)
	analyzers, err := p.BuildAnalyzers()
	require.NoError(t, err)
	assert.Equal(t, []*analysis.Analyzer{vet.Analyzer}, analyzers)
	assert.Equal(t, register.LoadModeTypesInfo, p.GetLoadMode())
	assert.NoError(t, analysis.Validate(analyzers))
}
