package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// problemsOf returns what is wrong with a text.
func problemsOf(text string) string {
	_, problems := parseTasks([]byte(text))
	var all []string
	for _, p := range problems {
		all = append(all, p.Error())
	}
	return strings.Join(all, "\n")
}

// What looks like a task and is none would vanish, with what depends on it.
func TestHeadingsThatLookLikeTasks(t *testing.T) {
	for _, tt := range []struct{ heading, want string }{
		{"## TASK-002: y", `3: "TASK-002: y" begins no task in a heading of level 2; expected: ### TASK-002: y`},
		{"#### TASK-002: y", `3: "TASK-002: y" begins no task in a heading of level 4; expected: ### TASK-002: y`},
		{"##### TASK-002: y", "level 5"},
		{"###### TASK-002: y ######", "level 6"},
		{"###TASK-002: y", "expected such as: ### TASK-001: Title"},
		{"###\u00a0TASK-002: y", "expected such as: ### TASK-001: Title"},
		{"TASK-002: y\n---", "3: \"TASK-002: y\" begins no task"},
		{"TASK-002: y\nand more\n===", "3: \"TASK-002: y\" begins no task"},
		{"### TASK–002: y",
			`3: "TASK–002: y" begins no task; expected such as: ### TASK-001: Title, with A-Z, 0-9 and hyphens only,` +
				` and not '–' (U+2013)`},
		{"### TASK—002: y", "U+2014"},
		{"### TASK−002: y", "U+2212"},
		{"### TASK‑002: y", "U+2011"},
		{"### ТASK-002: y", "U+0422"},
		{"### ΤASK-002: y", "U+03A4"},
		{"### ЗАДАЧА-2: y", "U+0417"},
		{"### \uff34ASK-002: y", "U+FF34"},
		{"### TASK-002\uff1a y", "U+FF1A"},
		{"### TASK-٢: y", "U+0662"},
		{"### TASK\u200b-002: y", "U+200B"},
		{"### TASK\u00ad002: y", "U+00AD"},
		{"### \u200bTASK-002: y", "U+200B"},
		{"### TASK-002 : y", "expected such as"},
		{"### TASK - 002: y", "expected such as"},
		{"### **TASK-002**: y", "expected such as"},
		{"### `TASK-002`: y", "expected such as"},
		{"#### ТASK–002: y", "3: "},
		{"### [TASK-002]: y", "expected such as"},
	} {
		t.Run(tt.heading, func(t *testing.T) {
			got := problemsOf("### TASK-001: x\n\n" + tt.heading + "\n")
			assert.Contains(t, got, tt.want)
			assert.NotContains(t, got, "\n", "it is said once")
			if !strings.ContainsAny(tt.heading, "`") {
				assert.Empty(t, problemsOf("### TASK-001: x\n\n```md\n"+tt.heading+"\n```\n"),
					"what is fenced is an example")
			}
		})
	}
	for _, text := range []string{
		"# RFC-001: The document", "## Milestone 1: MVP", "#### Details", "#### Step 2: go", "## Phase-2: more",
		"TASK-002: prose", "#### TASK-002 in words", "- TASK-002: later\n---",
		"TASK-002: prose\n\n---", "| TASK-002: x |\n|---|", "#### A: b", "#### UTF-8 and more",
	} {
		assert.Empty(t, problemsOf("### TASK-001: x\n\n"+text+"\n"), text)
	}
}

func TestDependenciesThatWouldVanish(t *testing.T) {
	const known = "### TASK-001: x\n### TASK-002: y\n### TASK-003: z\n"
	const mend = "is to be written so: **Depends on:** [TASK-001], [TASK-002]"
	for _, tt := range []struct{ line, want string }{
		{"**Depends on:** [TASK-002], [task-003]",
			`4: task TASK-003 depends on "task-003", expected IDs such as [TASK-001], or —`},
		{"**Depends on:** [TASK–002], [TASK-001]", `"TASK–002"`},
		{"**Depends on:** [TASK-001], the parser", `"the"`},
		{"**Depends on:** [TASK-001] (and TASK-002)", `"(and TASK-002)"`},
		{"**Depends on:** TASK-001..TASK-002", `"TASK-001..TASK-002"`},
		{"**Depends on:** [TASK-001],", "goes on in the next line"},
		{"**Depends on:** [TASK-001] and", "goes on in the next line"},
		{"**Depends on:** none, [TASK-001]", `"none"`},
		{"**Depends on:** [ТASK-002]", `"[ТASK-002]"`},
		{"Depends on: [TASK-001]", mend},
		{"depends on: TASK-001", mend},
		{"- Depends on: TASK-001", mend},
		{"* Depends on: TASK-001", mend},
		{"1. Depends on: TASK-001", mend},
		{"Depends on TASK-001, TASK-002", mend},
		{"**Depends on** [TASK-001]", mend},
		{"**Depends on** TASK-001", mend},
		{"**Depends on :** TASK-001", mend},
		{"**Depends on\uff1a** TASK-001", mend},
		{"**Depends\u00a0on:** TASK-001", mend},
		{"__Depends on:__ TASK-001", mend},
		{"***Depends on:*** TASK-001", mend},
		{"*Depends on:* TASK-001", mend},
		{"> **Depends on:** TASK-001", mend},
		{"| **Depends on** | TASK-001 |", mend},
		{"**Dependencies:** [TASK-001]", mend},
		{"**Dependency:** [TASK-001]", mend},
		{"**Dependencies**", mend},
		{"Dependencies: TASK-001", mend},
		{"#### Depends on", mend},
		{"🔴 P0 | ⬜ TODO | Depends on: TASK-001", mend},
	} {
		t.Run(tt.line, func(t *testing.T) {
			got := problemsOf(known + tt.line + "\n")
			assert.Contains(t, got, "4: ")
			assert.Contains(t, got, tt.want)
			assert.NotContains(t, got, "\n", "it is said once")
			assert.Empty(t, problemsOf(known+"~~~\n"+tt.line+"\n~~~\n"), "what is fenced is an example")
		})
	}
	for _, line := range []string{
		"It depends on the weather.", "Depends on the weather.", "What this depends on: the parser.",
		"Update the dependencies: all of them.",
		"Dependencies are kept in go.mod.", "Dependencies: cobra and viper", "It **depends on:** the weather",
		"Depends on TASK-001 having a parser.",
	} {
		assert.Empty(t, problemsOf(known+line+"\n"), line)
	}
	for line, want := range map[string][]string{
		"[TASK-001, TASK-002]":                   {"TASK-001", "TASK-002"},
		"`TASK-001`; **TASK-002**.":              {"TASK-001", "TASK-002"},
		"[TASK-001] (the parser) and [TASK-002]": {"TASK-001", "TASK-002"},
		"TASK-001 & TASK-002":                    {"TASK-001", "TASK-002"},
		"— (nothing yet)":                        nil,
		"None.":                                  nil,
	} {
		tasks := parsed(t, known+"**Depends on:** "+line+"\n")
		require.Len(t, tasks, 3)
		assert.Equal(t, want, tasks[2].DependsOn, line)
	}
}
