package synth

import (
	"bytes"
	"fmt"
)

// Rules returns a taxonomy of as many codes as rules, each found by a source and a status of its
// own. Errors take their fields from the evidence.
func Rules(rules int) []byte {
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
