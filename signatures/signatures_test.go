package signatures

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestLibrary(t *testing.T) {
	list, err := Library()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Doc == "" || len(s.Any) == 0 || len(s.Seen) == 0 || len(s.Examples) == 0 || len(s.NotExamples) == 0 {
			t.Errorf("%s: want a doc, conditions, tools, examples and counter-examples", s.Name)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, test := range []struct{ name, yaml, want string }{
		{"unknown key", "a: {docs: x}", "field docs not found"},
		{"unknown key of a condition", "a: {any: [{stat: 1}]}", "field stat not found"},
		{"unknown test", "a: {any: [{status: {max: 3, least: 1}}]}", `unknown test "least"`},
		{"unknown key of an example", "a: {examples: [{texts: x}]}", "field texts not found"},
		{"duplicate", "a: {doc: x}\na: {doc: y}", "already defined"},
		{"duplicate in another file", "b: {doc: x}", `"b" is duplicated in a.yaml`},
		{"unknown signature", "a: {over: [c]}", `over unknown signature "c"`},
		{"two documents", "a: {doc: x}\n---\nc: {doc: y}", "one document"},
		{"no mapping", "- a", "want a mapping"},
		{"empty", "", "want a mapping"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := load(fstest.MapFS{"a.yaml": {Data: []byte("b: {doc: x}")}, "z.yaml": {Data: []byte(test.yaml)}})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
