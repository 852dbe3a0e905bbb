package main_test

import (
	"bytes"
	"fmt"
)

// manyCodes returns a taxonomy with the given number of codes, spread evenly over the categories.
// It has docs, typed context, masked texts, reactions, policies, `when` branches and a profile.
func manyCodes(codes, categories int) []byte {
	var b bytes.Buffer
	b.WriteString(manyCodesHead)
	for i := range categories {
		category(&b, i, share(codes, categories, i))
	}
	b.WriteString(manyCodesTail)
	return b.Bytes()
}

func share(total, parts, i int) int {
	n := total / parts
	if i < total%parts {
		n++
	}
	return n
}

const manyCodesHead = `errgen: 1
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

const manyCodesTail = `profiles:
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

// manyRules returns a taxonomy with one code for each rule. Each rule matches another pair of
// source and status, and errors take their fields from the evidence.
func manyRules(rules int) []byte {
	const each = 20 // codes of a source
	var sources, codes bytes.Buffer
	for i := range rules {
		if i%each == 0 {
			fmt.Fprintf(&sources, "  service%d: A service.\n", i/each)
		}
		fmt.Fprintf(&codes, rulesCode, i, i/each, 400+i%each)
	}
	return []byte(fmt.Sprintf(rulesHead, sources.String()) + codes.String())
}

const rulesHead = `errgen: 1
package: synth
doc: Errors of many services.
sources:
%sfallback: {code: CASE_0}
categories:
  service:
    doc: A service failed.
    fields:
      service: {type: string, required: true, from: source, doc: The service.}
      status: {type: int, from: status, doc: The status.}
      detail: {type: string, from: text, scrub: true, max_length: 2000, doc: What it said.}
      wait: {type: duration, from: retry_after, doc: How long to wait.}
    codes:
`

const rulesCode = `      CASE_%[1]d:
        doc: Case %[1]d.
        message: 'case %[1]d of {service}[ with {status}][: {detail:first_line}]'
        detect: [{source: service%[2]d, status: %[3]d}]
        examples: [{source: service%[2]d, status: %[3]d}]
`
