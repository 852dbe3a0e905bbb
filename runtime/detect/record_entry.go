package detect

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/normal"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Entry is a line of a [Record]. A record may have empty lines, and after a crash a line with half
// an entry.
type Entry struct {
	// Time is when the evidence was recorded, in UTC and to the second.
	Time     time.Time         `json:"time,omitzero"`
	Evidence taxonomy.Evidence `json:"evidence"`
}

// Bounds on an entry before it is made to fit. All but the numbers of files and attributes are in
// bytes.
const (
	minEntry           = 512
	maxEntryWord       = 256
	maxEntryValue      = 512
	maxEntryFiles      = 16
	maxEntryAttributes = 32
)

// entryLine returns the entry for evidence as a line of at most o.MaxEntry bytes.
func entryLine(ev *taxonomy.Evidence, o RecordOptions) ([]byte, error) {
	at := o.Now().UTC().Truncate(time.Second)
	if at.Year() < 0 || at.Year() > 9999 {
		at = time.Time{} // JSON has no form for it
	}
	for step := 0; ; step++ {
		line, err := json.Marshal(&Entry{Time: at, Evidence: entryEvidence(ev, o.MaxEntry, step)})
		if err != nil {
			return nil, err
		}
		if len(line) < o.MaxEntry || step == maxEntrySteps {
			return append(line, '\n'), nil
		}
	}
}

// maxEntrySteps is the step at which every text is empty.
const maxEntrySteps = 32

// entryEvidence returns the recorded part of evidence, secrets masked. Each step halves the bounds.
func entryEvidence(ev *taxonomy.Evidence, limit, step int) taxonomy.Evidence {
	word := func(s string) string { return text.BothEnds(s, maxEntryWord>>step) }
	out := taxonomy.Evidence{
		Source: word(ev.Source), Op: word(ev.Op), Type: word(ev.Type), Status: ev.Status,
		StatusDerived: ev.StatusDerived,
		Code:          word(ev.Code), ExitCode: ev.ExitCode, Signal: word(ev.Signal), Errno: word(ev.Errno),
		Text:       text.BothEnds(textOrError(ev), limit>>step),
		RetryAfter: ev.RetryAfter, RetryAfterDerived: ev.RetryAfterDerived, ResetAt: ev.ResetAt,
	}
	for _, file := range ev.Files[:min(len(ev.Files), maxEntryFiles>>step)] {
		out.Files = append(out.Files, text.BothEnds(file, maxEntryValue>>step))
	}
	names := slices.Sorted(maps.Keys(ev.Attributes))
	for _, name := range names[:min(len(names), maxEntryAttributes>>step)] {
		if out.Attributes == nil {
			out.Attributes = make(map[string]string)
		}
		value := ev.Attributes[name]
		if value != "" && taxonomy.IsSecretName(name) {
			value = taxonomy.Redacted // the name may be cut
		}
		out.Attributes[word(name)] = text.BothEnds(value, maxEntryValue>>step)
	}
	return out
}

// textOrError returns the text of evidence, or that of its error.
func textOrError(ev *taxonomy.Evidence) string {
	if ev.Text != "" || ev.Err == nil {
		return ev.Text
	}
	return errtree.Text(ev.Err)
}

// Normalize returns the common part of texts about one kind of failure, on one line of at most 100
// characters. Varying parts are replaced: quoted text by X, UUIDs by UUID, hexadecimal numbers of 8
// digits and more by HASH, paths of files by PATH and other runs of digits by N. Colours and
// control characters are removed, white space becomes one space. Normalising twice changes nothing.
// Only the first 16 KiB are read. Secrets are not masked; see taxonomy.Redact.
func Normalize(text string) string { return normal.Text(text) }

// Literals returns the parts of a text that [Normalize] keeps, in their order and without white
// space and punctuation at their ends: texts that a rule can search for. They contain nothing that
// is masked. Only the first 16 KiB are read.
func Literals(text string) []string { return normal.Literals(text) }
