package scenarios_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/executor/scope"
)

// configured returns the stage's provider so that it reads its configuration, a YAML file of that
// text, before each call.
func configured(s *stage, text string) *configuredProvider {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "provider.yml")
	require.NoError(s.t, os.WriteFile(path, []byte(text), 0o600))
	return &configuredProvider{Provider: s.cfg.Provider, path: path}
}

// settings is the form of the file.
type settings struct {
	Model   string `yaml:"model"`
	Retries int    `yaml:"retries"`
}

// Call reads the configuration, then calls.
func (p *configuredProvider) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	var into settings
	if _, err := config.Load(p.path, &into); err != nil {
		return executor.Answer{}, err
	}
	return p.Provider.Call(ctx, req)
}

// answer puts a person at a terminal who types lines. The returned buffer has what the person was
// shown.
func (s *stage) answer(lines ...string) *safeBuffer {
	shown := &safeBuffer{}
	s.cfg.Asker = scope.NewAsker(
		scope.AskerConfig{In: strings.NewReader(strings.Join(lines, "\n") + "\n"), Out: shown,
			Attended: func() bool { return true }})
	return shown
}

// configuredProvider reads its configuration before each call, as a program does that may be
// reconfigured.
type configuredProvider struct {
	executor.Provider
	path string
}
