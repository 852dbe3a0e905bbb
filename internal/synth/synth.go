// Package synth writes taxonomies of any size, for benchmarks and tests of scale.
package synth

import (
	"bytes"
	"fmt"
)

// Taxonomy returns a taxonomy with the given number of codes, spread evenly over the categories. It
// has what real ones have: docs, typed context, masked texts, reactions, policies, `when` branches,
// profiles. The same arguments give the same bytes.
func Taxonomy(codes, categories int) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for i := range categories {
		category(&b, i, share(codes, categories, i))
	}
	b.WriteString(tail)
	return b.Bytes()
}

func share(total, parts, i int) int {
	n := total / parts
	if i < total%parts {
		n++
	}
	return n
}

const head = `errgen: 1
package: synth
domain: synth.example
doc: Errors of a synthetic system.
groups: {network: Needs the network., storage: Touches a disk.}
tiers: {low: {doc: Does it.}, high: {doc: Mends it., purpose: diagnosis}}
policies:
  calm: {max_attempts: 5, initial_delay: 1s, max_delay: 30s, jitter: 0.1}
reactions:
  again: {action: retry, policy: calm}
  fatal: {action: abort, log: {level: error}}
  asked: {action: retry, policy: calm, to: high, purpose: analysis, then: up}
  up: {action: escalate, purpose: verification}
uncategorized: again
categories:
`

const tail = `profiles:
  strict: {doc: No retries., retry: {enabled: false}}
`

func category(b *bytes.Buffer, i, codes int) {
	fmt.Fprintf(b, `  area%d:
    doc: Area %d of the system.
    severity: medium
    retryable: true
    reaction: again
    fields:
      component: {type: string, required: true, doc: The part that failed.}
      status: {type: int, doc: 'The status, when there was one.'}
      detail: {type: string, scrub: true, max_length: 2000, keep: tail, doc: What it said.}
      waited: {type: duration, doc: How long it took.}
      files: {type: strings, doc: What it touched.}
    codes:
`, i, i)
	for j := range codes {
		code(b, i, j)
	}
}

func code(b *bytes.Buffer, i, j int) {
	fmt.Fprintf(b, `      AREA%d_CASE_%d:
        doc: Case %d of area %d went wrong.
        resolution: Look at the log of area %d.
        message: 'case %d of {component} failed[ with {status}][: {detail:first_line}]'
`, i, j, j, i, i, j)
	switch j % 5 {
	case 0:
		b.WriteString("        groups: [network]\n")
	case 1:
		b.WriteString("        when: [{if: {status: {min: 400, max: 499}}, retryable: false, reaction: fatal}]\n")
	case 2:
		b.WriteString("        args: [component, detail]\n        groups: [storage]\n")
	case 3:
		b.WriteString("        retryable: false\n        reaction: fatal\n        http: 400\n")
	case 4:
		b.WriteString("        reaction: asked\n")
	}
}
