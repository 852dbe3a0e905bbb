package verify_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/escalate/verify"
)

func TestExists(t *testing.T) {
	dir := tree(t, map[string]string{"docs/a.md": ""})
	for path, want := range map[string]string{
		"docs/a.md": "met", "docs": "met", "docs/": "met", "./docs/../docs/a.md": "met",
		"docs/b.md": "content: a file or a directory | nothing: it is not there",
		"../x": "content: a file or a directory | nothing: it is not in the tree: its path, or a symbolic " +
			"link, leads out of it",
		"": "content: a path to look at | none",
	} {
		assert.Equal(t, want, look(t, dir, plan.Criterion{Kind: plan.Exists, Path: path}), path)
	}
}

func TestSize(t *testing.T) {
	dir := tree(t, map[string]string{"five": "12345", "empty": "", "one": "1", "d/": ""})
	for _, c := range []struct {
		path     string
		min, max int64
		want     string
	}{
		{"five", 5, 5, "met"},
		{"five", 1, 0, "met"},
		{"five", 0, 5, "met"},
		{"five", 6, 0, "size: at least 6 bytes | 5 bytes"},
		{"five", 0, 4, "size: at most 4 bytes | 5 bytes"},
		{"one", 2, 9, "size: 2 to 9 bytes | 1 byte"},
		{"empty", 1, 1, "size: 1 byte | 0 bytes"},
		{"d", 1, 0, "size: at least 1 byte | nothing: it is a directory"},
		{"none", 0, 1, "size: at most 1 byte | nothing: it is not there"},
	} {
		assert.Equal(t, c.want, look(t, dir, plan.Criterion{Kind: plan.Size, Path: c.path, Min: c.min, Max: c.max}),
			"%+v", c)
	}
}

func TestCountLines(t *testing.T) {
	dir := tree(
		t, map[string]string{"list": "- a\n- b\nnot\n- c", "crlf": "a;\r\nb;\r\n", "empty": "", "blank": "\n\n\n",
			"d/": ""})
	for _, c := range []struct {
		path, text string
		min, max   int64
		want       string
	}{
		{"list", "^- ", 3, 3, "met"},
		{"list", "^- ", 2, 0, "met"},
		{"list", "", 1, 1, "met"}, // without an expression Path is a pattern
		{"list", "^- ", 5, 0, `count: at least 5 lines matching "^- " | 3 lines`},
		{"list", "^- ", 0, 2, `count: at most 2 lines matching "^- " | 3 lines`},
		{"list", "not", 2, 4, "count: 2 to 4 lines matching not | 1 line"},
		{"list", "", 0, 0, "met"},
		{"crlf", ";$", 2, 2, "met"}, // an end of a line is no part of it
		{"empty", "^", 1, 0, "count: at least 1 line matching ^ | 0 lines"},
		{"blank", "^$", 3, 3, "met"},
		{"none", "a", 0, 2, "count: at most 2 lines matching a | nothing: it is not there"},
		{"d", "a", 1, 0, "count: at least 1 line matching a | nothing: it is a directory"},
		{"list", "(", 1, 0, "count: at least 1 line matching ( | an expression that cannot be used"},
	} {
		assert.Equal(
			t, c.want,
			look(t, dir, plan.Criterion{Kind: plan.Count, Path: c.path, Text: c.text, Min: c.min, Max: c.max}), "%+v",
			c)
	}
}

func TestCountFiles(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.md": "", "docs/b.md": "", "docs/deep/c.md": "", "docs/deep/c.txt": "", ".git/x.md": "", "sub/.git/y.md": "",
		"docs.md/": "", "[x].md": "", "[d]/z.md": "",
		"a\nb.md": "",
	})
	for _, c := range []struct {
		pattern  string
		min, max int64
		want     string
	}{
		{"**/*.md", 6, 6, "met"},
		{"*.md", 3, 3, "met"},
		{"docs/*.md", 1, 1, "met"},
		{"docs/**", 3, 3, "met"},
		{"docs/{b,deep/c}.{md,txt}", 3, 3, "met"},
		{"a.md", 1, 1, "met"},
		{`\[x\].md`, 1, 1, "met"},
		{`\[d\]/*.md`, 1, 1, "met"},
		{"**/*.go", 0, 1, "met"},
		{"none/*.md", 2, 0, "count: at least 2 files matching none/*.md | 0 files"},
		{"**/c.*", 3, 0, "count: at least 3 files matching **/c.* | 2 files"},
		{"{", 1, 0, "count: at least 1 file matching { | a pattern that cannot be used"},
		{"../*", 1, 0, "count: at least 1 file matching ../* | a pattern that cannot be used"},
	} {
		assert.Equal(t, c.want, look(t, dir, plan.Criterion{Kind: plan.Count, Path: c.pattern, Min: c.min, Max: c.max}),
			c.pattern)
	}
	ev := verifier(t, verify.Options{Dir: dir}).Criteria(t.Context(),
		[]plan.Criterion{{Kind: plan.Count, Path: "**/*b.md", Min: 9}})[0]
	assert.Equal(t, []string{"a\nb.md", "docs/b.md"}, sorted(ev.Files))
	assert.NotContains(t, ev.Text, "\n")
}

func TestContent(t *testing.T) {
	dir := tree(t, map[string]string{"a": "one\ntwo three\n", "binary": "\xff\x00x\xfe", "empty": ""})
	for _, c := range []struct{ path, text, want string }{
		{"a", "two", "met"},
		{"a", "(?m)^two", "met"},
		{"a", `one\ntwo`, "met"},
		{"a", `\Aone`, "met"},
		{"a", `three\n\z`, "met"},
		{"a", "^two", "content: a text that matches ^two | a file without one"},
		{"binary", "x", "met"},
		{"empty", "x", "content: a text that matches x | a file without one"},
		{"none", "x", "content: a text that matches x | nothing: it is not there"},
		{"a", "[", "content: a text that matches [ | an expression that cannot be used"},
		{"a", strings.Repeat("a", 1001), "an expression that cannot be used"},
		{"a", "(?:a{1000}){1000}", "an expression that cannot be used"},
		{"a", strings.Repeat("[^x]{900}", 9), "an expression that cannot be used"},
	} {
		assert.Contains(t, look(t, dir, plan.Criterion{Kind: plan.Content, Path: c.path, Text: c.text}), c.want,
			"%.40s", c.text)
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ format, text, want string }{
		{"json", `{"a": [1, 2, null]}`, "met"},
		{"json", " 1 \n", "met"},
		{"json", "", "format: JSON | a file that is not: it is empty"},
		{"json", " \n", "format: JSON | a file that is not: it is empty"},
		{"json", `{"a": 1,}`,
			"format: JSON | a file that is not: byte 9: invalid character '}' looking for beginning of object key " +
				"string"},
		{"json", `{} {}`, "format: JSON | a file that is not: byte 4: invalid character '{' after top-level value"},
		{"json", "{\"a\": \"\xff\"}", "format: JSON | a file that is not: byte 8 is not UTF-8"},
		{"json", "\uFEFF{}",
			"format: JSON | a file that is not: byte 1: invalid character 'ï' looking for beginning of value"},
		{"json", strings.Repeat("[", 100_000),
			"format: JSON | a file that is not: byte 10001: invalid character '[' exceeded max depth"},
		{"csv", "a,b\n1,2\n", "met"},
		{"csv", "\uFEFF\"a\",b\r\n1,\"x\ny\"\r\n", "met"},
		{"csv", "", "format: CSV | a file that is not: it is empty"},
		{"csv", "a,b\n1\n", "format: CSV | a file that is not: line 2: wrong number of fields"},
		{"csv", "a,\"b\n", `format: CSV | a file that is not: line 1: extraneous or missing " in quoted-field`},
		{"xml", `<?xml version="1.0"?><!DOCTYPE a><!-- c --><a b="c"><d/>x &amp; y</a>` + "\n", "met"},
		{"xml", "\uFEFF<a/>", "met"},
		{"xml", "", "format: XML | a file that is not: it has no element"},
		{"xml", "plain", "format: XML | a file that is not: there is text outside of its element"},
		{"xml", "<a><b></a>", "format: XML | a file that is not: line 1: element <b> closed by </a>"},
		{"xml", "<a/><b/>", "format: XML | a file that is not: it has more than one outermost element"},
		{"xml", "<a>", "format: XML | a file that is not: line 1: unexpected EOF"},
		{"xml", "<a>&x;</a>", "format: XML | a file that is not: line 1: invalid character entity &x;"},
		{"xml", `<?xml version="1.0" encoding="latin1"?><a/>`,
			`encoding "latin1" declared but Decoder.CharsetReader is nil`},
		{"utf-8", "Zoë\n", "met"},
		{"utf-8", "", "met"},
		{"utf-8", "a\xc3", "format: UTF-8 | a file that is not: byte 2 is not UTF-8"},
		{"yaml", "a: 1", "format: a known format | the format yaml"},
	} {
		dir := tree(t, map[string]string{"f": c.text})
		assert.Contains(t, look(t, dir, plan.Criterion{Kind: plan.Format, Path: "f", Text: c.format}), c.want,
			"%s %.40q", c.format, c.text)
	}
	assert.Equal(t, "format: JSON | nothing: it is not there",
		look(t, t.TempDir(), plan.Criterion{Kind: plan.Format, Path: "f", Text: "json"}))
	assert.Equal(t, "content: a criterion of a known kind | the kind sorcery",
		look(t, t.TempDir(), plan.Criterion{Kind: "sorcery", Path: "f"}))
}

// A gibibyte that is not there, as a file with a hole has it, is neither read as a whole nor kept
// in memory.
func TestHugeFiles(t *testing.T) {
	dir := tree(t, map[string]string{"list": strings.Repeat("- a\n", 1<<20)})
	f, err := os.Create(filepath.Join(dir, "sparse"))
	require.NoError(t, err)
	require.NoError(t, f.Truncate(1<<30))
	require.NoError(t, f.Close())
	const unread = "a file of more than 16 MiB, which is not read"
	for _, c := range []struct {
		k    plan.Criterion
		want string
	}{
		{plan.Criterion{Kind: plan.Content, Text: "x"}, "content: a text that matches x | " + unread},
		{plan.Criterion{Kind: plan.Format, Text: "json"}, "format: JSON | " + unread},
		{plan.Criterion{Kind: plan.Sections, Texts: []string{"A", "B c"}},
			`missing_sections: the sections A, "B c" | ` + unread},
		{plan.Criterion{Kind: plan.Count, Text: "x", Min: 1},
			"count: at least 1 line matching x | line 1 of more than 1 MiB, which cannot be counted"},
		{plan.Criterion{Kind: plan.Size, Min: 1 << 30, Max: 1 << 30}, "met"},
		{plan.Criterion{Kind: plan.Exists}, "met"},
	} {
		c.k.Path = "sparse"
		assert.Equal(t, c.want, look(t, dir, c.k))
	}
	assert.Equal(
		t, "met",
		look(t, dir, plan.Criterion{Kind: plan.Count, Path: "list", Text: "^- a$", Min: 1 << 20, Max: 1 << 20}))

	small := verifier(t, verify.Options{Dir: dir, MaxRead: 1000})
	ev := small.Criteria(t.Context(), []plan.Criterion{{Kind: plan.Content, Path: "list", Text: "a"}})[0]
	assert.Equal(t, "list: expected a text that matches a, found a file of more than 1000 bytes, which is not read",
		ev.Text)
}

// All criteria are looked into, in their order, and what is not looked into is not met.
func TestAllCriteriaAreLookedInto(t *testing.T) {
	v := verifier(t, verify.Options{Dir: tree(t, map[string]string{"a": "x"})})
	all := []plan.Criterion{
		{Kind: plan.Exists, Path: "b"}, {Kind: plan.Exists, Path: "a"}, {Kind: plan.Size, Path: "a", Min: 2},
		{Kind: plan.Content, Path: "a", Text: "y"},
	}
	var got []string
	for _, ev := range v.Criteria(t.Context(), all) {
		got = append(got, ev.Type+" "+ev.Files[0])
	}
	assert.Equal(t, []string{"content b", "size a", "content a"}, got)

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	stopped := v.Criteria(ctx, all)
	require.Len(t, stopped, 1)
	assert.ErrorIs(t, stopped[0], context.Canceled)
	assert.ErrorContains(t, stopped[0], "enough")

	slow := verifier(t, verify.Options{Dir: tree(t, map[string]string{"a": "x"}), Limit: time.Nanosecond})
	late := slow.Criteria(t.Context(), all[1:2])
	require.Len(t, late, 1, "no time is no success")
	assert.Equal(t, "a: expected something that can be looked into, found what could not be looked into within 1ns",
		late[0].Text)
	assert.NoError(t, late[0].Err)
}

func TestSecretsInCriteriaAreMasked(t *testing.T) {
	v := verifier(t, verify.Options{Dir: tree(t, nil)})
	got := v.Criteria(t.Context(), []plan.Criterion{
		{Kind: plan.Content, Path: "password=hunter2hunter2", Text: "api_key=hunter2hunter2"},
		{Kind: plan.Sections, Path: "x", Texts: []string{"token=hunter2hunter2"}},
	})
	for _, ev := range got {
		assert.NotContains(t, ev.Text+strings.Join(ev.Files, " ")+ev.Attribute("expected"), "hunter2")
	}
	text, err := json.Marshal(got)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "hunter2")
}

// Looking into a file ends with the context, wherever it is.
func TestReadingEndsWithTheContext(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	whole, runes := verify.ReadLate(ctx, tree(t, map[string]string{"a": "x"}), "a")
	assert.ErrorIs(t, whole, enough)
	assert.ErrorIs(t, runes, enough)
	for _, format := range []string{"csv", "xml"} {
		assert.ErrorIs(t, verify.Malformed(ctx, format, []byte("<a/>")), enough)
	}
}
