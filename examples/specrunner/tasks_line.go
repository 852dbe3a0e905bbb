package main

import (
	"regexp"
	"strings"
)

// rank is what the line below a task's heading says: "🔴 P0 | ⬜ TODO | Est: 2d".
type rank struct {
	done     bool
	priority int
}

const doneSign = "✅"

var (
	priorityPart = regexp.MustCompile(`^(?:[🔴🟠🟡🟢⚪🔵]\x{FE0F}?[ \t]*)?P([0-9])$`)
	statusPart   = regexp.MustCompile(
		`^(?:(⬜|🔄|✅|⏸|⏳|❌)\x{FE0F}?[ \t]*)?((?i:TODO|DONE|IN[ _-]?PROGRESS|BLOCKED|PAUSED|ON[ _-]?HOLD)?)$`)
)

// rankOf reads a line of parts between bars; ok is false for any other line. It is one when a part
// of it is a status, and the first one a status or a priority, so that a row of a table is none.
func rankOf(line string) (r rank, ok bool) {
	if !strings.ContainsAny(line, "⬜🔄✅⏸⏳❌|") || len(line) > 500 {
		return rank{}, false
	}
	r.priority = lastPriority
	for i, part := range strings.Split(line, "|") {
		part = strings.TrimSpace(part)
		if m := priorityPart.FindStringSubmatch(part); m != nil {
			r.priority = int(m[1][0] - '0')
			continue
		}
		m := statusPart.FindStringSubmatch(part)
		isStatus := m != nil && part != ""
		if isStatus && !ok {
			ok, r.done = true, m[1] == doneSign || m[1] == "" && strings.EqualFold(m[2], "done")
		}
		if i == 0 && !isStatus {
			return rank{}, false
		}
	}
	return r, ok
}
