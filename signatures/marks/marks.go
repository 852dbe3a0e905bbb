// Package marks has the marks of logs: what a line says about the structure and the outcome of a
// job. Like signatures they are data. `go generate` in runtime/detect compiles them.
package marks

import (
	"bytes"
	_ "embed"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/runtime/detect/triage"
)

//go:embed marks.yaml
var file []byte

// Mark is a form of lines. If several match, the first one in the file wins.
type Mark struct {
	Name string `yaml:"name"`
	Doc  string `yaml:"doc"`
	// Kind is the name of a [triage.Kind], Class that of a signature.
	Kind  string `yaml:"kind"`
	Class string `yaml:"class"`
	// Text are expressions (RE2), Contains literals in any case. A line must contain one of them.
	Text        []string `yaml:"text"`
	Contains    []string `yaml:"contains"`
	Examples    []string `yaml:"examples"`
	NotExamples []string `yaml:"not_examples"`
}

// List returns all marks in the order of the file.
func List() ([]Mark, error) {
	var list []Mark
	d := yaml.NewDecoder(bytes.NewReader(file))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("read marks: %w", err)
	}
	for _, m := range list {
		if _, ok := triage.KindNamed(m.Kind); !ok {
			return nil, fmt.Errorf("read marks: %s: unknown kind %q", m.Name, m.Kind)
		}
	}
	return list, nil
}
