package schema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/schema"
	"github.com/errgen/errgen/internal/spec"
)

// plain returns a file as a validator sees it.
func plain(src []byte) (any, error) {
	var doc any
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

func compile(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	require.NoError(t, c.AddResource("errgen.schema.json", doc))
	s, err := c.Compile("errgen.schema.json")
	require.NoError(t, err)
	return s
}

// files returns the files that match, with the project's own taxonomies when they are there.
func files(t *testing.T, patterns ...string) []string {
	t.Helper()
	var out []string
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		require.NoError(t, err)
		out = append(out, found...)
	}
	require.NotEmpty(t, out)
	return out
}

func TestAcceptsTaxonomies(t *testing.T) {
	language := compile(t, schema.JSON(nil))
	for _, file := range files(t, "../spec/testdata/*.yaml", "../../taxonomy.yaml",
		"../../examples/*/taxonomy.yaml") {
		t.Run(file, func(t *testing.T) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			doc, err := plain(src)
			require.NoError(t, err)
			assert.NoError(t, language.Validate(doc))

			taxonomy, findings := spec.Parse(file, src)
			require.Empty(t, findings)
			own := compile(t, schema.JSON(taxonomy))
			assert.NoError(t, own.Validate(doc), "with its own names")
		})
	}
}

func TestOwnNamesAreEnums(t *testing.T) {
	const head = `
errgen: 1
package: shop
sources: {press: The press.}
groups: {hardware: Hardware.}
strategies: {split: Split it.}
tiers: {low: {}, high: {}}
policies: {patient: {max_attempts: 5}}
reactions: {again: {action: retry, policy: patient}}
fields: {id: {type: string}}
`
	const good = head + `
categories: {press: {codes: {JAM: {message: jam}}}}
`
	taxonomy, findings := spec.Parse("taxonomy.yaml", []byte(good))
	require.Empty(t, findings)
	own, language := compile(t, schema.JSON(taxonomy)), compile(t, schema.JSON(nil))
	for _, tt := range []struct{ name, with string }{
		{"reaction", `categories: {press: {reaction: agian, codes: {JAM: {message: jam}}}}`},
		{"group", `categories: {press: {codes: {JAM: {message: jam, groups: [software]}}}}`},
		{"source", `categories: {press: {codes: {JAM: {message: jam, detect: [{source: pres}]}}}}`},
		{"source of an example", `categories: {press: {codes: {JAM: {message: jam, examples: [{source: pres}]}}}}`},
		{"field of args", `categories: {press: {codes: {JAM: {message: jam, args: [di]}}}}`},
		{"field of if", `categories: {press: {codes: {JAM: {message: jam, when: [{if: {di: a}}]}}}}`},
		{"policy", `categories: {press: {reaction: {action: retry, policy: hasty}, codes: {JAM: {message: jam}}}}`},
		{"strategy",
			`categories: {press: {reaction: {action: recover, strategy: join}, codes: {JAM: {message: jam}}}}`},
		{"tier", `categories: {press: {reaction: {action: escalate, to: top}, codes: {JAM: {message: jam}}}}`},
		{"code", `categories: {press: {codes: {JAM: {message: jam, replaced_by: HAM}}}}`},
		{"overlay", "categories: {press: {codes: {JAM: {message: jam}}}}\nprofiles: {p: {codes: {HAM: {http: 500}}}}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := plain([]byte(head + tt.with))
			require.NoError(t, err)
			assert.NoError(t, language.Validate(doc), "the language knows no names")
			assert.Error(t, own.Validate(doc))
		})
	}
	for _, name := range []string{"again", "abort", "block", "continue"} {
		doc, err := plain(
			[]byte(head + `categories: {press: {reaction: ` + name + `, codes: {JAM: {message: jam}}}}`))
		require.NoError(t, err)
		assert.NoError(t, own.Validate(doc), name)
	}
}
