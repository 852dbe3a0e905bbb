package main

import (
	"fmt"
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
	statusPart   = regexp.MustCompile(`^(?:(⬜|🔄|✅|⏸|⏳|❌)\x{FE0F}?[ \t]*)?((?i:TODO|DONE|IN[ _-]?PROGRESS|BLOCKED|PAUSED|ON[ _-]?HOLD)?)$`)
)

// rankOf reads a line of parts between bars; ok is false for any other line. It is one when a part of it is a status, and the
// first one a status or a priority, so that a row of a table is none.
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

var (
	dependsOn = regexp.MustCompile(`(?i)^[ \t]*(?:[-*+][ \t]+)?\*\*depends on(?::\*\*|\*\*[ \t]*:)(.*)$`)
	idInText  = regexp.MustCompile(`\b[A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*-[0-9]+\b`)
	target    = regexp.MustCompile(`\]\([^)]*\)`)
)

// dependencies returns what a line says that its task depends on.
func dependencies(line string) (names string, ok bool) {
	if !strings.Contains(line, "**") {
		return "", false
	}
	m := dependsOn.FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	return strings.TrimSpace(m[1]), true
}

// idsIn returns the IDs that are named, each once. What is neither an ID nor says that there is none is a problem.
func idsIn(names string) (ids []string, problem string) {
	seen := map[string]bool{}
	for _, id := range idInText.FindAllString(target.ReplaceAllString(names, "]"), -1) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		return ids, ""
	}
	switch strings.ToLower(strings.Trim(names, "[](). \t")) {
	case "—", "–", "-", "none", "nothing", "n/a":
		return nil, ""
	}
	return nil, fmt.Sprintf("%q, expected IDs such as [TASK-001], or —", names)
}
