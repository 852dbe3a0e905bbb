package taxonomy

import "github.com/errgen/errgen/runtime/taxonomy/internal/redact"

// Scrub returns s with what looks like a secret masked: known kinds of keys and tokens, private
// keys, credentials in headers and URLs, and the values of keys such as password or api_key. It is
// meant for text of unknown origin on its way to a person or a log; what it masks is chosen so that
// prose survives, so it is no proof that no secret is left. Scrubbing what is scrubbed changes
// nothing; the time is linear.
func Scrub(s string) string { return redact.Scrub(s) }
