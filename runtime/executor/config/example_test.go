package config_test

import (
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The file names an environment variable that contains the key.
func Example() {
	settings := struct {
		Provider string                  `yaml:"provider"`
		APIKey   taxonomy.Secret[string] `yaml:"api_key"`
		Timeout  time.Duration           `yaml:"timeout"`
	}{Timeout: time.Minute}
	environment := config.Env(func(name string) (string, bool) { return "k-1", name == "API_KEY" })

	file := "provider: anthropic\napi_key: ${API_KEY}\nmodle: opus\n"
	warnings, err := config.Parse("host.yaml", []byte(file), &settings, environment)

	fmt.Println(settings.Provider, settings.APIKey, settings.Timeout, err)
	fmt.Println(warnings[0])
	// Output:
	// anthropic [REDACTED] 1m0s <nil>
	// host.yaml:3: modle: unknown key
}
