package rules_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/rules"
	"github.com/errgen/errgen/internal/spec"
)

func TestEveryFindingHasAPage(t *testing.T) {
	want := slices.Concat(spec.IDs(), check.IDs(), breaking.IDs(), breaking.AcceptIDs(), check.MessageIDs(),
		[]string{check.IDUnusedCode})
	slices.Sort(want)
	assert.Equal(t, slices.Compact(want), rules.IDs())
}

func TestPages(t *testing.T) {
	for _, id := range rules.IDs() {
		t.Run(id, func(t *testing.T) {
			page, ok := rules.Page(id)
			require.True(t, ok)
			assert.True(t, strings.HasPrefix(page, "# "+id+"\n\n"), "the page begins with its id")

			if slices.Contains(breaking.AcceptIDs(), id) {
				assert.Equal(t, []string{id}, accepted(examples(page, "bad")[0]))
				assert.Empty(t, accepted(examples(page, "good")[0]))
				return
			}
			bad, good := examples(page, "bad"), examples(page, "good")
			require.NotEmpty(t, good)
			if id == check.IDUnusedCode { // found in Go code
				assert.Empty(t, findings(good[0]))
				return
			}
			if before := examples(page, "before"); before != nil {
				assert.Contains(t, changes(t, before[0], bad[0]), id, "the bad example")
				assert.Empty(t, changes(t, before[0], good[0]), "the good example")
				return
			}
			findings := findings
			if slices.Contains(check.MessageIDs(), id) {
				findings = messageFindings
			}
			for _, yaml := range good {
				assert.Empty(t, findings(yaml), yaml)
			}
			require.Len(t, bad, len(good))
			for _, yaml := range bad {
				require.NotEmpty(t, findings(yaml), yaml)
				for _, f := range findings(yaml) {
					assert.Equal(t, id, f.ID, yaml)
					assert.True(t, f.Span.Valid(), yaml)
					assert.NotEmpty(t, f.Hint, "%s: %s\n%s", f.ID, f.Message, yaml)
				}
			}
		})
	}
}

func TestPageOfAnyID(t *testing.T) {
	for _, tt := range []struct{ id, begins string }{
		{"", ""},
		{"E-nothing", ""},
		{"../rules", ""},
		{"E-yaml.md", ""},
		{"e-YAML", "# E-yaml\n\nThe file"},
		{"unused", "# W-unused-code\n\n"},
	} {
		page, ok := rules.Page(tt.id)
		assert.Equal(t, tt.begins != "", ok, tt.id)
		assert.True(t, strings.HasPrefix(page, tt.begins), "%s: %s", tt.id, page)
	}
}

// messageFindings returns the findings about a file of messages in German.
func messageFindings(yaml string) []diag.Finding {
	m, _ := check.Load("taxonomy.yaml", whole(`audience: public
categories:
  io:
    fields: {file: {type: string}}
    codes:
      BUSY: {message: busy}
      EOF: {message: 'end of file[ {file}]'}
`))
	_, _, findings := check.Messages(m, "taxonomy.messages.de.yaml", "de", []byte(yaml))
	return findings
}

var fence = regexp.MustCompile("(?s)\n```yaml ([a-z]+)\n(.*?)```\n")

// examples returns the fenced examples of a page that are of a kind.
func examples(page, kind string) []string {
	var out []string
	for _, match := range fence.FindAllStringSubmatch(page, -1) {
		if match[1] == kind {
			out = append(out, match[2])
		}
	}
	return out
}

// changes returns the ids of the changes between two examples. Neither may have errors.
func changes(t *testing.T, before, now string) []string {
	t.Helper()
	var out []string
	var both []*breaking.Taxonomy
	for _, yaml := range []string{before, now} {
		assert.False(t, diag.HasErrors(findings(yaml)), yaml)
		tree, _ := spec.Parse("taxonomy.yaml", whole(yaml))
		both = append(both, breaking.New(tree))
	}
	for _, c := range breaking.Compare(both[0], both[1]) {
		out = append(out, c.ID)
	}
	return out
}

// accepted returns the ids of findings about accepted changes, where the code HUNG was removed.
func accepted(yaml string) []string {
	changes := []breaking.Change{{Finding: diag.Finding{ID: "E-break-code-removed"},
		Subject: breaking.Subject{Code: "HUNG"}}}
	_, findings := breaking.ReadAcceptances(breaking.AcceptFile, []byte(yaml)).Apply(changes,
		time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
	var out []string
	for _, f := range findings {
		out = append(out, f.ID)
	}
	return out
}

func findings(yaml string) []diag.Finding {
	_, out := check.Load("taxonomy.yaml", whole(yaml))
	return out
}

// whole adds behind an example what every taxonomy needs.
func whole(yaml string) []byte {
	for _, needed := range []string{"errgen: 1", "package: errs",
		"categories: {io: {codes: {EOF: {message: end of file}}}}"} {
		key, _, _ := strings.Cut(needed, ":")
		if !strings.HasPrefix(yaml, key+":") && !strings.Contains(yaml, "\n"+key+":") {
			yaml += needed + "\n"
		}
	}
	return []byte(yaml)
}
