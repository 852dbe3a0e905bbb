package cli

import (
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/schema"
	"github.com/errgen/errgen/internal/spec"
)

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
