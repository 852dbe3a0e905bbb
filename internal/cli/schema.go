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
Schema prints the taxonomy language as a JSON Schema. Given a taxonomy, the schema also knows the names that it
declares (reactions, policies, codes and so on), so that an editor can complete them.

  errgen schema > errgen.schema.json
  # yaml-language-server: $schema=./errgen.schema.json    as the first line of the taxonomy`,
		run: (*session).schema,
	}
}

// schema takes any taxonomy that can be read: a name that is used and not declared yet is no reason
// to withhold the others.
func (s *session) schema(_ *options, args []string) error {
	if len(args) == 0 {
		return s.write(schema.JSON(nil))
	}
	src, err := s.read(args[0])
	if err != nil {
		return err
	}
	t, findings := spec.Parse(args[0], src)
	if diag.HasErrors(findings) {
		return s.faults(t.Source, findings)
	}
	return s.write(schema.JSON(t))
}
