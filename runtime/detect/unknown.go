package detect

import "github.com/errgen/errgen/runtime/taxonomy"

// Unknown returns the error that evidence becomes in a taxonomy without a fallback when no rule
// matches: one without a code, with what the evidence says as its message, and not to be retried.
// It does not keep ev.
func Unknown(t *taxonomy.Taxonomy, ev *taxonomy.Evidence) taxonomy.Error {
	return taxonomy.NewUnknown(t, taxonomy.Wire{Domain: t.Domain, Message: ev.Error(), Cause: ev.Err})
}
