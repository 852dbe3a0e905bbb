package escalate

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"sync"
)

// markLen is how many hexadecimal digits a mark has.
const markLen = 8

// markOf returns the mark of a call, which the report that ends its answer has to repeat. What an
// agent reads while it works, in a file, in what a command prints, in what was reported before, can
// hold a whole report, and an answer can end by quoting it; position alone does not tell it from
// the agent's own. Nothing that was written before the call can hold its mark.
//
// It is made of what the run keeps, so that an answer of a call that was noted before a crash can
// still be read, and needs no secret: an agent that goes and looks it up can as well lie in its own
// report, which counts for no more than a claim.
func markOf(run string, began int64, number int) string {
	sum := sha256.Sum256([]byte(run + "\x00" + strconv.FormatInt(began, 10) + "\x00" + strconv.Itoa(number)))
	return hex.EncodeToString(sum[:])[:markLen]
}

// mark returns the mark of the run's call with the number.
func (r *run) mark(number int) string {
	return markOf(r.result.Run, r.state.Began.UnixNano(), number)
}

// newMark returns a mark for a call of which nothing is kept.
func newMark() string {
	b := make([]byte, markLen/2)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// markForm matches a line of the form of a report.
var markForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:STEP (?:DONE|FAILED) |\{"mark":")([0-9a-f]{8})\b`)
})

// Mark returns the mark that a prompt of this package asks for in the report that ends the answer,
// for tiers and reviewers that are programs and no models; empty when the prompt asks for none. The
// report of a tier that does not classify is the line "STEP DONE MARK" or "STEP FAILED MARK", any
// other is a fenced block of JSON with the key "mark".
func Mark(prompt string) string {
	// The form of the report ends a prompt; what comes before it is also of others' words.
	all := markForm().FindAllStringSubmatch(prompt, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}
