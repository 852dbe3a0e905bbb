// Package redact masks secrets in text and cuts text to a length.
//
// Masked are: provider keys (sk-…, also Stripe's sk_live_…), tokens of GitHub, GitLab, Slack, npm,
// Hugging Face, DigitalOcean, SendGrid and Vault, Google's access tokens, ids of AWS keys, Google's
// API keys, JSON web tokens, private keys in PEM, what follows `Bearer` and `Basic`,
// `Authorization` and `Cookie` headers, signatures in queries, user and password in URLs and after
// curl's -u, and the values of keys that name a secret (password, token, api_key, …), written as
// key=value, key: value, --key value, in JSON, also in JSON within a JSON string, and in the query
// of a URL.
//
// Prose and source code must survive, so a value is masked only if it looks like one:
//
//	"key": "value"   any value, also in a list
//	key="value"      any value
//	key=value        6 bytes and more
//	key: value       6 bytes and more, with a digit, a capital after a small letter or one of
//	                 !@#$%^*+=~ before the end
//	key: "value"     any value
//	--key value      as key: value
//	Bearer value     8 bytes and more, likewise, or 16 bytes
//	Basic value      user:password in base64, or random
//
// Parsers and their callers say much about tokens. So token: value, token = value and token :=
// value must look random, with 3 digits or letters in turns that names do not have, and token:
// "value" likewise, without white space. The value of access_token: "…" and the like is judged as
// that of key: value, without white space. A value that only refers to another, $NAME or ${name},
// is none.
//
// A value that is not in quotes ends at white space, quotes, backslash and , ; & ( ) [ ] { } < > |.
// A word begins after an escape (\n, \u003c, %3D) and after a terminal's colour code, and so does a
// value.
//
// Masking what is masked changes nothing. That holds because each decision is monotone: a text that
// is a secret stays one when it is longer, a mask or an ellipsis ends every value, and what comes
// after a masked text is judged as if the mask stood before it. The time is linear in the length of
// the text, because a decision that may fail looks at a bounded number of bytes, or at bytes that
// no other such decision looks at.
package redact

// Mask stands in place of a secret.
const Mask = "[REDACTED]"

// Ellipsis stands where a text was cut.
const Ellipsis = "…"
