package cli

import (
	"fmt"

	"github.com/errgen/errgen/runtime/detect/detectflag"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// readText fills evidence from what was said: the flag's text, or standard input if it is neither a
// terminal nor in use for the taxonomy. An error body as APIs send it fills what else it tells, and
// so does a hint how long to wait.
func (s *session) readText(ev *taxonomy.Evidence, o *options) error {
	if o.text != nil {
		detectflag.Said(ev, []byte(*o.text))
		return nil
	}
	if s.Stdin == nil || o.taxonomy == stdinArg || !detectflag.Piped(s.Stdin) {
		return nil
	}
	body, err := detectflag.ReadEnd(s.Stdin)
	if err != nil {
		return fmt.Errorf("read text from standard input: %w", err)
	}
	detectflag.Said(ev, body)
	return nil
}
