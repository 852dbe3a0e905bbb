package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	dependsOn = regexp.MustCompile(`(?i)^[ \t]*(?:[-*+][ \t]+)?\*\*depends on(?::\*\*|\*\*[ \t]*:)(.*)$`)
	exactID   = regexp.MustCompile(`^[A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*-[0-9]+$`)
	target    = regexp.MustCompile(`\]\([^)]*\)`)
	explained = regexp.MustCompile(`\([^()]*\)`)
	nameLike  = regexp.MustCompile(`[\p{L}\p{N}]` + dash + `\p{N}`)
	separator = regexp.MustCompile(`[\s,;&]+`)
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

// idsIn returns the IDs that are named, each once. Words in parentheses are an explanation.
// Whatever else is neither an ID nor says that there is none is a problem, since what is overlooked
// would be done too early.
func idsIn(names string) (ids []string, problem string) {
	text := explained.ReplaceAllStringFunc(target.ReplaceAllString(names, "]"), func(words string) string {
		if nameLike.MatchString(words) {
			problem = fmt.Sprintf("%q, expected a name such as [TASK-001] outside parentheses", words)
		}
		return " "
	})
	if problem != "" {
		return nil, problem
	}
	stray, last := "", ""
	for _, token := range separator.Split(text, -1) {
		word := strings.Trim(token, "[]`*.")
		switch {
		case exactID.MatchString(word):
			if !slices.Contains(ids, word) {
				ids = append(ids, word)
			}
		case word != "" && word != "and" && stray == "":
			stray = word
		}
		last = token
	}
	switch {
	case len(ids) == 0 && saysNone(text):
		return nil, ""
	case len(ids) == 0:
		return nil, fmt.Sprintf("%q, expected IDs such as [TASK-001], or —", names)
	case stray != "":
		return nil, fmt.Sprintf("%q, expected IDs such as [TASK-001], or —", stray)
	case last == "and" || strings.ContainsAny(text[len(text)-1:], ",;&"):
		return nil, fmt.Sprintf("%q, which goes on in the next line; all IDs are in one", names)
	}
	return ids, ""
}

// saysNone reports that there are no dependencies.
func saysNone(text string) bool {
	switch strings.ToLower(strings.Trim(text, "[](). \t")) {
	case "—", "–", "-", "none", "nothing", "n/a":
		return true
	}
	return false
}

// What is meant as dependencies and not written so, at the beginning of a line, perhaps in a list,
// a quotation or a table.
var (
	opening  = `(?i)^[ \t>|]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?(?:\[[ x]\][ \t]+)?`
	says     = `(?:depends?[\s\p{Z}]+(?:up)?on|dependenc(?:y|ies))`
	stressed = regexp.MustCompile(opening + `[*_]{1,3}[\s\p{Z}]*` + says + `[\s\p{Z}]*[:\x{FF1A}]?[\s\p{Z}]*[*_]{1,3}`)
	plainly  = regexp.MustCompile(opening + says + `[\s\p{Z}]*([:\x{FF1A}])?(.*)$`)

	headsDependencies = regexp.MustCompile(`(?i)^[*_]*depends?[\s\p{Z}]+(?:up)?on[\s\p{Z}*_:\x{FF1A}]*$`)
	ranksDependencies = regexp.MustCompile(`(?i)\b` + says)
)

// misnames reports whether a line means to name dependencies and is not read so. Prose that has the
// words in it does not.
func misnames(line string) bool {
	if stressed.MatchString(line) {
		return true
	}
	m := plainly.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	names := strings.TrimSpace(m[2])
	ids, problem := idsIn(names)
	switch {
	case len(ids) > 0 && problem == "":
		return true
	case m[1] == "":
		return false
	}
	return !mentionsDependencies.MatchString(line[:len(line)-len(m[2])]) || nameLike.MatchString(names)
}

// mentionsDependencies is about the noun, which other things have, too: packages, for one.
var mentionsDependencies = regexp.MustCompile(`(?i)dependenc`)

// misnamed says how dependencies are written.
func misnamed(line string) string {
	line = strings.TrimSpace(line)
	if chars := []rune(line); len(chars) > maxShown {
		line = string(chars[:maxShown]) + "…"
	}
	return fmt.Sprintf("%q is to be written so: **Depends on:** [TASK-001], [TASK-002]", line)
}
