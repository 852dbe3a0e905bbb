package breaking_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/breaking"
)

const (
	before = "categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, number: 1}, " +
		"_LEGACY_B: {message: b}, _LEGACY_C: {message: c}}}}"
	after = "categories: {io: {fields: {n: {type: string}}, codes: {A: {message: a, number: 2}}}}"
)

func day(d int) time.Time { return time.Date(2026, 5, d, 23, 0, 0, 0, time.UTC) }

// ids returns the subject and the id of each change, and the id of each finding about acceptances.
func ids(a *breaking.Acceptances, changes []breaking.Change, now time.Time) string {
	var out []string
	rest, findings := a.Apply(changes, now)
	for _, c := range rest {
		out = append(out, c.Subject.String()+" "+c.ID)
	}
	for _, f := range findings {
		out = append(out, fmt.Sprintf("%d %s", f.Span.Line, f.ID))
	}
	return strings.Join(out, ", ")
}

func TestAcceptances(t *testing.T) {
	const (
		legacy = "- {id: E-break-code-removed, subject: '_LEGACY_*', reason: Unused., until: 2026-05-10}\n"
		number = "- {id: E-break-number, subject: A, reason: Free., until: 2026-05-10}\n"
		field  = "- {id: E-break-field-type, subject: io.n, reason: Never sent., until: 2026-05-10}\n"
		all    = "_LEGACY_B E-break-code-removed, _LEGACY_C E-break-code-removed, io.n E-break-field-type, " +
			"A E-break-number"
	)
	changes := compare(t, before, after)
	for _, tt := range []struct {
		name    string
		entries string
		now     time.Time
		want    string
	}{
		{"none", "", day(1), all},
		{"all", legacy + number + field, day(10), ""},
		{"a field by its name", legacy + number + strings.Replace(field, "io.n", "n", 1), day(1), ""},
		{"of another kind", legacy + number + strings.Replace(field, "type,", "removed,", 1), day(1),
			"io.n E-break-field-type, 4 E-accept-unused"},
		{"of another subject", legacy + field + strings.Replace(number, "A", "'[B-Z]'", 1), day(1),
			"A E-break-number, 4 E-accept-unused"},
		{"expired", legacy + number + field, day(11),
			all + ", 2 E-accept-expired, 3 E-accept-expired, 4 E-accept-expired"},
		{"expired, and accepted again", legacy + number + field + strings.Replace(number, "-10", "-20", 1), day(11),
			"_LEGACY_B E-break-code-removed, _LEGACY_C E-break-code-removed, io.n E-break-field-type, " +
				"2 E-accept-expired, 3 E-accept-expired, 4 E-accept-expired"},
	} {
		a := breaking.ReadAcceptances(breaking.AcceptFile, []byte("accept:\n"+tt.entries))
		assert.Equal(t, tt.want, ids(a, changes, tt.now), tt.name)
	}
}

func TestMalformedAcceptances(t *testing.T) {
	for src, want := range map[string]int{
		"": 0, "# None.\n": 0, "accept:\n": 0, "accept: []\n": 0, "accept: {}\n": 1, "except: []\n": 1, "[]": 1,
		"a: [": 1, "accept: []\nmore: 1\n": 1, "accept: [a]\n": 1, "accept: [{id: [E-break-number]}]\n": 1,
	} {
		findings := breaking.ReadAcceptances(breaking.AcceptFile, []byte(src)).Findings
		assert.Len(t, findings, want, src)
		for _, f := range findings {
			assert.Equal(t, "E-accept", f.ID, src)
		}
	}
}

// TestAcceptEverything checks that the entries for all changes accept all changes.
func TestAcceptEverything(t *testing.T) {
	var all []*breaking.Taxonomy
	for _, file := range taxonomies(t) {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		all = append(all, parse(file, src))
	}
	for i, old := range all {
		changes := breaking.Compare(old, all[(i+1)%len(all)])
		a := breaking.ReadAcceptances(breaking.AcceptFile, nil)
		text, err := a.Add(changes, changes, "All.", "2026-05-04", day(3))
		require.NoError(t, err)
		assert.Empty(t, ids(breaking.ReadAcceptances(breaking.AcceptFile, text), changes, day(4)))
	}
}

// TestAddAcceptances checks that added entries accept the changes. Comments and used entries stay,
// and the other entries are removed.
func TestAddAcceptances(t *testing.T) {
	changes := compare(t, before, after)
	a := breaking.ReadAcceptances(breaking.AcceptFile, []byte(`# Decisions.
accept:
  # The legacy codes.
  - {id: E-break-code-removed, subject: '_LEGACY_*', reason: Unused., until: 2026-05-20}
  - {id: E-break-number, subject: A, reason: Expired., until: 2026-05-02}
  - {id: E-break-number, subject: B, reason: Matches nothing., until: 2026-05-20}
`))
	rest, _ := a.Apply(changes, day(3))
	text, err := a.Add(rest, changes, "Free: #12", "2026-05-04", day(3))
	require.NoError(t, err)
	assert.Equal(t, `# Decisions.
accept:
  # The legacy codes.
  - {id: E-break-code-removed, subject: '_LEGACY_*', reason: Unused., until: 2026-05-20}
  - id: E-break-field-type
    subject: io.n
    reason: 'Free: #12'
    until: "2026-05-04"
  - id: E-break-number
    subject: A
    reason: 'Free: #12'
    until: "2026-05-04"
`, string(text))
	again := breaking.ReadAcceptances(breaking.AcceptFile, text)
	assert.Empty(t, ids(again, changes, day(4)))
	assert.NotEmpty(t, ids(again, changes, day(5)))
}
