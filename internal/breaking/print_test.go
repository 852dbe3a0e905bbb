package breaking_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/diag"
)

// many returns two versions of a taxonomy with some hundred changes of ten kinds.
func many() (old, new string) {
	var was, is strings.Builder
	for i := range 700 {
		code := fmt.Sprintf("      CODE_NUMBER_%d: {number: %d, message: 'failure %[1]d of the store'", i, i+1)
		fmt.Fprintln(&was, code+"}")
		switch i % 7 {
		case 0: // removed
		case 1:
			fmt.Fprintln(&is, strings.Replace(code, "NUMBER", "RENAMED", 1)+"}")
		case 2:
			fmt.Fprintln(&is, strings.Replace(code, "number: ", "number: 9000", 1)+"}")
		case 3:
			fmt.Fprintln(&is, strings.Replace(code, "the store", "a store", 1)+"}")
		case 4:
			fmt.Fprintln(&is, code+", http: 404}")
		case 5:
			fmt.Fprintln(&is, code+", severity: high, args: [f]}")
		case 6:
			fmt.Fprintln(&is, code+"}")
		}
	}
	const head = "categories:\n  io:\n    fields: {f: {type: string}}\n    codes:\n"
	return head + was.String(), head + is.String()
}

func report(t *testing.T, old, new string) breaking.Report {
	return breaking.Report{Against: "v1", Source: diag.NewSource("new.yaml", whole(new)),
		Changes: compare(t, old, new), Acceptances: diag.NewSource(breaking.AcceptFile, nil)}
}

func TestTextFitsTwoScreens(t *testing.T) {
	old, new := many()
	r := report(t, old, new)
	require.Greater(t, len(r.Changes), 500)
	var out bytes.Buffer
	require.NoError(t, r.Text(&out))
	assert.LessOrEqual(t, strings.Count(out.String(), "\n"), 100)
	for _, c := range r.Changes {
		assert.Contains(t, out.String(), c.ID)
	}
	reserved := out.String()[strings.Index(out.String(), "\nreserved: {")+1:]
	reserved = reserved[:strings.Index(reserved, "}")+1]
	for _, c := range compare(t, old, new+reserved) {
		assert.NotEqual(t, "E-break-code-removed", c.ID, "reserved by the block")
	}
}

func TestGitHubFitsTenAnnotations(t *testing.T) {
	old, new := many()
	new = "domain: x.example.com\nhelp_url: https://example.com/{code}\nfallback: {code: CODE_NUMBER_6}\n" +
		"tiers: {a: {}}\nprofiles: {default: {retry: {enabled: false}}}\n" + new
	r := report(t, "tiers: {b: {}}\ngroups: {g: G.}\n"+old, new)
	var out bytes.Buffer
	require.NoError(t, r.GitHub(&out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	assert.Len(t, lines, 10)
	assert.Contains(t, lines[0],
		fmt.Sprintf("::error file=new.yaml,title=errgen breaking::%d changes against v1: ", len(r.Changes)))
	for _, line := range lines[1:] {
		assert.Contains(t, line, "line=")
	}
	out.Reset()
	require.NoError(t, breaking.Report{}.GitHub(&out))
	assert.Empty(t, out.String())
}

func TestJSON(t *testing.T) {
	r := report(t,
		"policies: {p: {max_attempts: 3}}\ncategories: {io: {fields: {n: {type: int, required: true}}, codes: {A: "+
			"{message: a, number: 1}, B: {message: 'b {n}'}}}}",
		"policies: {p: {max_attempts: 4}}\ncategories: {io: {fields: {n: {type: string, required: true}}, codes: {A: "+
			"{message: a, number: 2}, B: {message: 'bb {n}'}}}}")
	type line struct {
		ID, Level, Key, Old, New string
		Subject                  breaking.Subject
		Factories                []string
	}
	var got []line
	var out bytes.Buffer
	require.NoError(t, r.JSON(&out))
	for dec := json.NewDecoder(&out); dec.More(); {
		var l line
		require.NoError(t, dec.Decode(&l))
		got = append(got, l)
	}
	assert.Equal(t, []line{
		{ID: "W-changed-policy", Level: "behaviour", Key: "max_attempts", Old: "3", New: "4",
			Subject: breaking.Subject{Name: "policy p"}},
		{ID: "E-break-field-type", Level: "wire", Key: "type", Old: "int", New: "string",
			Subject: breaking.Subject{Category: "io", Field: "n"}, Factories: []string{"A", "B"}},
		{ID: "E-break-number", Level: "wire", Key: "number", Old: "1", New: "2",
			Subject: breaking.Subject{Code: "A", Category: "io"}},
		{ID: "W-changed-message", Level: "behaviour", Key: "message", Old: "b {n}", New: "bb {n}",
			Subject: breaking.Subject{Code: "B", Category: "io"}},
	}, got)
}
