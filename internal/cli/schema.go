package cli

import (
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/schema"
	"github.com/errgen/errgen/internal/spec"
)

func schemaCommand() *command {
	return &command{
		name: "schema", args: "[taxonomy.yaml]", max: 1,
		summary: "print a JSON Schema of the language, for editors",
		details: `
Schema prints the taxonomy language as a JSON Schema. With a taxonomy, the schema also contains the
names that it declares (reactions, policies, codes), so that an editor can complete them.

  errgen schema > errgen.schema.json
  # yaml-language-server: $schema=./errgen.schema.json    as the first line of the taxonomy`,
		run: (*session).schema,
	}
}

// schema accepts every taxonomy that can be read, also one with undeclared names.
func (s *session) schema(_ *options, args []string) error {
	if len(args) == 0 {
		return s.write(schema.JSON(nil))
	}
	src, err := s.readAll(args[0])
	if err != nil {
		return err
	}
	t, findings := spec.Parse(args[0], src)
	if diag.HasErrors(findings) {
		return s.faults(t.Source, findings)
	}
	return s.write(schema.JSON(t))
}
