package emit_test

import (
	"fmt"
	"go/importer"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/emit"
)

// TestRandomTaxonomies generates from random taxonomies that lint accepts. The packages must be
// formatted and compile: go build compiles a hundred together, and go/types checks their tests. In
// the short form, go build compiles some of them.
func TestRandomTaxonomies(t *testing.T) {
	accepted, built, batch := 1000, 1000, 100
	if testing.Short() {
		accepted, built, batch = 60, 10, 10
	}
	var module *consumer
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", exportData(t))
	for seed := uint64(1); accepted > 0; seed++ {
		src := randomTaxonomy(seed)
		m, _ := check.Load("taxonomy.yaml", []byte(src))
		if m == nil {
			require.Less(t, seed, uint64(20_000), "too few taxonomies are accepted")
			continue
		}
		accepted--
		files := emit.Files(m, emit.Options{Tests: true})
		ok := t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { typeCheck(t, fset, imports, files) })
		require.True(t, ok, "%s", src)
		if built == 0 {
			continue
		}
		if built%batch == 0 {
			module = newConsumer(t)
		}
		name := "p" + strconv.FormatUint(seed, 10)
		require.NoError(t, os.Mkdir(filepath.Join(module.dir, name), 0o755))
		for _, f := range files {
			if !strings.HasSuffix(f.Name, "_test.go") {
				module.file(t, filepath.Join(name, f.Name), string(f.Content))
			}
		}
		if built--; built%batch == 0 {
			module.run(t, "build", "./...")
		}
	}
}

// oddSuffixes can only be the ends of identifiers.
var oddSuffixes = strings.Fields(`2fa 08006 4xx 错误`)

// oddNames are valid names, and unusual in Go.
var oddNames = strings.Fields(`type func nil error Error ERROR string int len e ok v x m o dst err ev
	base definition detection taxonomy gen detect fmt time json slog context errors strings cmp init main table
	doc fields ünï été a-b c/d snake_case camelCase HTTPServer ID ids url Code New With when list
	leads ruleIs fromEvidence category Categories attach classify name value index test_ _lead x__y a1 iota any t r s
	genPackage state1 v2 kv q`)

// random writes a taxonomy.
type random struct {
	*rand.Rand
	b       strings.Builder
	used    map[string]bool
	strings []string // the fields of type string of the category
}

func randomTaxonomy(seed uint64) string {
	r := &random{Rand: rand.New(rand.NewPCG(seed, 34)), used: make(map[string]bool)}
	r.b.WriteString("errgen: 1\npackage: " + r.pick("errs", "gen", "fmt", "detect", "p1", "taxonomy", "cmp") + "\n")
	r.header("sources", "Source")
	r.header("groups", "Group")
	r.header("ops", "Op")
	r.header("strategies", "Strategy")
	r.header("checks", "Check")
	r.b.WriteString("policies: {calm: {max_attempts: 3, initial_delay: 1s}}\n")
	r.b.WriteString("reactions: {" + r.name() + ": {action: retry, policy: calm}, halt: {action: abort}}\n")
	if r.some() {
		r.b.WriteString("constants: {" + r.name() + ": {type: " + r.pick("string", "int", "bool", "float64") + "}}\n")
	}
	if r.some() {
		r.b.WriteString("fields: {" + r.fields(1, false) + "}\n")
	}
	r.b.WriteString("categories:\n")
	for range 1 + r.IntN(3) {
		r.category()
	}
	r.b.WriteString("profiles: {" + r.name() + ": {doc: Odd., retry: {enabled: false}}}\n")
	return r.b.String()
}

func (r *random) some() bool { return r.IntN(2) == 0 }

func (r *random) pick(items ...string) string { return items[r.IntN(len(items))] }

// name returns a name that the taxonomy does not have yet, in any case.
func (r *random) name() string { return r.fresh(oddNames) }

// suffix is name for names that may begin with a digit.
func (r *random) suffix() string {
	if r.IntN(3) == 0 {
		return r.fresh(oddSuffixes)
	}
	return r.name()
}

func (r *random) fresh(pool []string) string {
	for {
		name := r.pick(pool...)
		switch r.IntN(4) {
		case 0:
			name = strings.ToUpper(name)
		case 1, 2:
			name += "_" + r.pick(oddNames...)
		}
		key := strings.ToLower(strings.NewReplacer("_", "", ".", "", "-", "", "/", "").Replace(name))
		if !r.used[key] {
			r.used[key] = true
			return "'" + name + "'"
		}
	}
}

// header declares some names.
func (r *random) header(key, doc string) {
	var names []string
	for range r.IntN(3) {
		names = append(names, r.name()+": "+doc)
	}
	r.b.WriteString(key + ": {" + strings.Join(names, ", ") + "}\n")
}

// fields returns declarations of fields, which contain each other up to a depth. If required is
// true, most of them are required.
func (r *random) fields(depth int, required bool) string {
	var out []string
	for range 1 + r.IntN(4) {
		options := r.pick("", "", ", sensitive: true", "", ", message_only: true", "")
		if options == "" && required {
			options = ", required: true"
		}
		name := r.name()
		typ := "type: " + r.pick("string", "int", "int64", "uint64", "float64", "bool", "duration", "time", "strings",
			"json", "violations", "enum", "object", "objects")
		switch {
		case typ == "type: enum":
			typ = "enum: [" + r.suffix() + ", " + r.suffix() + "]"
		case strings.HasPrefix(typ, "type: object"):
			if depth == 0 {
				typ = "type: string"
				break
			}
			typ += ", fields: {" + r.fields(depth-1, r.some()) + "}"
		case typ == "type: string" && r.some():
			typ += r.pick(", scrub: true", ", max_length: 20", ", scrub: true, max_length: 9, keep: tail")
		}
		if strings.HasPrefix(typ, "type: string,") || typ == "type: string" {
			if options == "" && depth > 0 {
				r.strings = append(r.strings, strings.Trim(name, "'"))
			}
			typ += r.pick("", ", from: text", ", from: [attributes.x, source]")
		}
		out = append(out, name+": {"+typ+options+"}")
	}
	return strings.Join(out, ", ")
}

func (r *random) category() {
	r.strings = nil
	fmt.Fprintf(&r.b, "  %s:\n    doc: A category.\n", r.name())
	if r.some() {
		r.b.WriteString("    fields: {" + r.fields(2, false) + "}\n")
	}
	shared := len(r.strings)
	r.b.WriteString("    codes:\n")
	for range 1 + r.IntN(5) {
		r.strings = r.strings[:shared]
		fmt.Fprintf(&r.b, "      %s:\n        doc: 'It went wrong, with `quotes` and \"more\"'\n", r.suffix())
		if r.some() {
			r.b.WriteString("        audience: public\n        message: It failed\n")
			continue
		}
		detected := r.some()
		if r.some() {
			r.b.WriteString("        fields: {" + r.fields(1, !detected) + "}\n")
		}
		message := r.pick("failed", `'% "\\" went wrong'`, "'failed[: {cause}]'",
			"'failed[ {cause:first_line}][ {cause:quoted}]'")
		if len(r.strings) > 0 && r.some() {
			field := r.pick(r.strings...)
			message = "'failed[: {" + field + r.pick("", ":quoted", ":first_line") + "}]'"
			if r.some() {
				fmt.Fprintf(&r.b, "        when: [{if: {'%s': %s}, reaction: halt}]\n", field,
					r.pick("a", "{prefix: b}", "{present: true}", "[a, b]", "{not: a}"))
			}
		}
		r.b.WriteString("        message: " + message + "\n")
		if r.some() {
			r.b.WriteString("        reaction: halt\n        feedback: 'Try again[: {cause}].'\n")
		}
		if detected {
			fmt.Fprintf(&r.b, "        detect: [{text: '%d'}, {status: %d}]\n", r.IntN(1000), 400+r.IntN(100))
		}
	}
}
