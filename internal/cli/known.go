package cli

import (
	"maps"
	"slices"
	"strconv"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// known says what is known of a failure, one part a line, secrets masked and texts cut.
func known(ev *taxonomy.Evidence) []string {
	var out []string
	text := func(key, value string) {
		if value != "" {
			out = append(out, key+" "+strconv.Quote(clipped(value)))
		}
	}
	text("source", ev.Source)
	text("op", ev.Op)
	if ev.Status != 0 {
		line := "status " + strconv.Itoa(ev.Status)
		if ev.StatusDerived {
			line += ", read out of the text"
		}
		out = append(out, line)
	}
	text("type", ev.Type)
	text("code", ev.Code)
	if code, ok := ev.ExitCode.Get(); ok {
		out = append(out, "exit code "+strconv.Itoa(code))
	}
	text("signal", ev.Signal)
	text("errno", ev.Errno)
	text("error", errorText(ev.Err))
	text("text", ev.Text)
	for _, file := range ev.Files {
		text("file", file)
	}
	if d, ok := ev.RetryAfter.Get(); ok {
		out = append(out, "retry after "+short(d))
	}
	if !ev.ResetAt.IsZero() {
		out = append(out, "reset at "+ev.ResetAt.UTC().Format("2006-01-02T15:04:05Z"))
	}
	for _, name := range slices.Sorted(maps.Keys(ev.Attributes)) {
		value := ev.Attributes[name]
		if taxonomy.NamesSecret(name) {
			value = taxonomy.Redacted
		}
		text("attribute "+diag.Printable(name), value)
	}
	return out
}

// Bounds on what is shown of texts, in bytes. The JSON has all of them.
const (
	maxShown   = 200
	maxMessage = 1000
)

// clipped returns the beginning of a text, secrets masked.
func clipped(s string) string { return clip(taxonomy.Scrub(s), maxShown) }

// clip returns the beginning of a text, without a part of a secret at its end.
func clip(s string, n int) string { return gen.Clean(n).Text(s) }
