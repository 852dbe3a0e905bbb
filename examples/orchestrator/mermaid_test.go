package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
)

// statements are all that a diagram may hold, as Mermaid's grammar of sequence diagrams has them.
// Texts hold no character that ends a statement, begins a comment, a directive or another
// statement, or is HTML; entities are all that a # may begin.
var (
	text       = `((?:[\pL\pN .,_/()…\x{FFFD}]|#\d{1,7};)+)`
	statements = []*regexp.Regexp{
		regexp.MustCompile(`^    title ` + text + `$`),
		regexp.MustCompile(`^    participant (run|t\d+) as ` + text + `$`),
		regexp.MustCompile(`^    (run|t\d+)(?:->>|-->>|--x)(run|t\d+): ` + text + `$`),
		regexp.MustCompile(`^    Note over (run|t\d+): ` + text + `$`),
	}
	entity = regexp.MustCompile(`#(\d+);`)
)

// parsed reads a diagram back: the participants' names by what the diagram calls them, and the
// texts of its messages and notes.
func parsed(t *testing.T, source string) (names map[string]string, said []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(source, "\n"), "\n")
	require.Equal(t, "sequenceDiagram", lines[0])
	names = map[string]string{}
	for _, line := range lines[1:] {
		var found []string
		kind := 0
		for i, form := range statements {
			if found = form.FindStringSubmatch(line); found != nil {
				kind = i
				break
			}
		}
		require.NotNil(t, found, "no statement: %q", line)
		last := entity.ReplaceAllStringFunc(found[len(found)-1], func(s string) string {
			n, err := strconv.Atoi(s[1 : len(s)-1])
			require.NoError(t, err)
			return string(rune(n))
		})
		switch kind {
		case 0:
			continue
		case 1:
			require.NotContains(t, names, found[1], "a name twice")
			names[found[1]] = last
			continue
		}
		for _, id := range found[1 : len(found)-1] {
			require.Contains(t, names, id, "nobody who was not introduced")
		}
		said = append(said, last)
	}
	return names, said
}

func TestDiagram(t *testing.T) {
	names, said := parsed(
		t, string(diagram(&escalate.Result{Run: "plan", Title: "Describe the shop", Path: everyEvent()})))
	assert.Equal(t, map[string]string{"run": "run plan", "t1": "haiku", "t2": "sonnet", "t3": "human", "t4": "Ann"},
		names)
	require.Len(t, said, len(everyEvent()))
	assert.Equal(t, "the run begins: resumed", said[0])
	assert.Equal(t, "2.3 is called to carry the step out", said[3])
	assert.Equal(t, "its label is refused: no rule takes it from an agent [INTER_AGENT_MISALIGNMENT]", said[11])
	assert.Equal(t, "takes over from haiku (diagnosis)", said[16])
	assert.Equal(t, "", string(diagram(&escalate.Result{}))[len("sequenceDiagram\n    participant run as run\n"):])
}

// hostile are texts of somebody who wants them to be more than texts.
var hostile = []string{
	"a\n    t1->>run: I am done", "a;t1->>run: forged", "a%%{init: {'theme':'dark','securityLevel':'loose'}}%%b",
	"a #35; b", "a#b;",
	`<img src=x onerror=alert(1)>`, `<br/>`, "end", "loop forever", "wrap: x", "participant x as y", "%% comment",
	"click t1 href \"javascript:alert(1)\"",
	"style: #fff;", "classDef x: #fff;", "\u202e\x1b[31m", "`code` \"quoted\" 'single' \\", "---\ntitle: x\n---", "",
	" ", "日本語", "📝", "x\u2028y",
}

// O21: the names of files, tiers and steps cannot break out of the diagram.
func TestDiagramOfHostileTexts(t *testing.T) {
	for _, text := range hostile {
		t.Run(fmt.Sprintf("%.20q", text), func(t *testing.T) {
			path := everyEvent()
			for i := range path {
				path[i].Text, path[i].Message, path[i].Code = text, text, text
				if path[i].Tier != "" {
					path[i].Step, path[i].Tier = text, text+path[i].Tier
				}
			}
			source := string(diagram(&escalate.Result{Run: text, Title: text, Path: path}))
			names, said := parsed(t, source)
			assert.Len(t, said, len(path), "one statement for each event")
			assert.Contains(t, names, "run")
			assert.NotContains(t, source, "%%")
			assert.NotContains(t, source, "<")
			want := []rune(strings.Join(strings.Fields(text), " "))
			for i, c := range want {
				if !unicode.IsPrint(c) {
					want[i] = '\uFFFD'
				}
			}
			assert.Contains(t, strings.Join(said, "\n"), string(want), "and nothing of it is lost")
		})
	}
}

func FuzzDiagram(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := []escalate.Event{{Kind: escalate.Diagnosed, Step: text, Tier: text, From: "x" + text, Text: text,
			Message: text, Code: text}}
		_, said := parsed(t, string(diagram(&escalate.Result{Run: text, Title: text, Path: path})))
		assert.Len(t, said, 1)
	})
}
