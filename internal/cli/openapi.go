package cli

import (
	"bytes"
	"fmt"
	"os"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/openapi"
	"github.com/errgen/errgen/internal/output"
)

// writeInto writes the errors of the operations into an OpenAPI document.
func (s *session) writeInto(o *options, l *loaded) error {
	if o.dir != "" || o.format != diag.Format(openapi.YAML) || o.readers != public {
		return usagef("openapi: -into takes no -o, -format and -audience")
	}
	src, err := os.ReadFile(s.path(o.into))
	switch {
	case err != nil:
		return fmt.Errorf("openapi: %w", err)
	case len(l.model.Operations) == 0 && !bytes.Contains(src, []byte("x-errgen")):
		return fmt.Errorf("openapi: %s declares no operations", l.name)
	}
	out, remarks, err := openapi.Into(o.into, src, l.model.PublicOnly())
	if err != nil {
		return fmt.Errorf("openapi: %w", err)
	}
	for _, remark := range remarks {
		s.note("%s", remark)
	}
	same, verb := bytes.Equal(src, out), "changed"
	switch {
	case same:
		verb = "unchanged"
	case o.check:
		s.note("%s would change: run \"errgen openapi -into %[1]s%s\"", o.into, argument(l.name))
		return errFindings
	default:
		if err := output.Replace(s.path(o.into), out); err != nil {
			return fmt.Errorf("openapi: %w", err)
		}
	}
	if o.verbose {
		s.note("%s: %s", o.into, verb)
	}
	return nil
}
