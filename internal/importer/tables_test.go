package importer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/importer"
	"github.com/errgen/errgen/internal/spec"
)

// TestTables imports the versions of real tables, one after another, and compares each update with
// an import of the same version into a new file. Nothing may be lost: the codes and their values
// are those of the new file, each rename that breaking names between two new files is an alias, and
// the names and numbers of earlier versions are decoded or reserved.
//
// ERRGEN_TABLES is a directory with the tables, which are not part of this repository:
// FORMAT/NAME/VERSION, with versions that sort by their names. For example, the versions of NATS
// are in its Go modules: nats/nats/001-v2.6.0.json is a copy of server/errors.json of
// "go mod download -json github.com/nats-io/nats-server/v2@v2.6.0".
func TestTables(t *testing.T) {
	root := os.Getenv("ERRGEN_TABLES")
	if root == "" {
		t.Skip("ERRGEN_TABLES is not set")
	}
	tables, err := filepath.Glob(filepath.Join(root, "*", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, tables)
	for _, dir := range tables {
		format := filepath.Base(filepath.Dir(dir))
		t.Run(format+" "+filepath.Base(dir), func(t *testing.T) {
			versions, err := filepath.Glob(filepath.Join(dir, "*"))
			require.NoError(t, err)
			var text, before []byte
			renames := 0 // that breaking names between the new files
			published := newTaxonomy(t, nil)
			codes, counts := 0, make(map[string]int)
			for _, file := range versions {
				src, err := os.ReadFile(file)
				require.NoError(t, err)
				table, err := importer.Read(format, src, importer.Options{})
				require.NoError(t, err, file)
				fresh := table.New()
				var changes importer.Notes
				if text == nil {
					text = fresh
				} else {
					text, changes, err = table.Update("taxonomy.yaml", text)
					require.NoError(t, err, file)
				}
				for _, n := range changes {
					counts[n.What] += len(n.Codes)
				}
				_, findings := check.Load("taxonomy.yaml", text)
				assert.Empty(t, findings, file)
				want, got := newTaxonomy(t, fresh), newTaxonomy(t, text)
				codes = len(want.codes)
				faults := differences(want, got, table.Notes)
				for _, c := range breaking.Compare(parse(before), parse(fresh)) {
					if c.Kind != "renamed" || c.Key != "value" {
						continue
					}
					renames++
					aliases := strings.Fields(strings.Trim(got.codes[c.New]["aliases"], "[]"))
					if !slices.Contains(aliases, c.Old) {
						faults = append(faults, fmt.Sprintf("%s: %s is not an alias", c.New, c.Old))
					}
				}
				before = fresh
				want.keep(published)
				published = want
				faults = append(faults, lost(published, got)...)
				slices.Sort(faults)
				assert.Empty(t, faults, file)
				if t.Failed() {
					return
				}
			}
			t.Logf("%d versions, %d codes, %d renames, %v", len(versions), codes, renames, counts)
		})
	}
}

// differences returns the values of the new file that differ after the update. A number that is
// reserved is left out, with a note.
func differences(want, got *taxonomy, notes importer.Notes) (out []string) {
	for name, code := range want.codes {
		now, ok := got.codes[name]
		if !ok {
			out = append(out, name+" is missing")
			continue
		}
		for key, value := range code {
			isReserved := key == "number" && slices.ContainsFunc(notes, func(n importer.Note) bool {
				return strings.Contains(n.What, "reserved") && slices.Contains(n.Codes, name)
			})
			if key != "aliases" && !isReserved && value != now[key] {
				out = append(out, fmt.Sprintf("%s: %s is %q, want %q", name, key, now[key], value))
			}
		}
		for key := range now {
			if _, ok := code[key]; !ok && key != "aliases" {
				out = append(out, fmt.Sprintf("%s: %s is %q, want none", name, key, now[key]))
			}
		}
	}
	for name := range got.codes {
		if want.codes[name] == nil {
			out = append(out, name+" is not in the table")
		}
	}
	return out
}

// lost returns the names and numbers of earlier versions that are neither decoded nor reserved.
func lost(published, got *taxonomy) (out []string) {
	for name := range published.names {
		if !got.names[name] && !got.reserved["code "+name] {
			out = append(out, name+" is lost")
		}
	}
	for number := range published.numbers {
		_, bare, _ := strings.Cut(number, "/")
		if !got.numbers[number] && !got.reserved[number] && !got.reserved["number "+bare] {
			out = append(out, "number "+number+" is lost")
		}
	}
	return out
}

// taxonomy is an imported file, as this test compares it.
type taxonomy struct {
	codes    map[string]map[string]string // values of the keys, by the code on the wire
	names    map[string]bool              // that decode
	numbers  map[string]bool              // CATEGORY/NUMBER, or /NUMBER
	reserved map[string]bool              // "code NAME", "number NUMBER" or CATEGORY/NUMBER
}

func newTaxonomy(t *testing.T, src []byte) *taxonomy {
	t.Helper()
	x := &taxonomy{codes: make(map[string]map[string]string), names: make(map[string]bool),
		numbers: make(map[string]bool), reserved: make(map[string]bool)}
	if src == nil {
		return x
	}
	doc, err := spec.OpenDocument("taxonomy.yaml", src)
	require.NoError(t, err)
	root := doc.Root().Pairs()
	var add func(category, parent string, codes any)
	add = func(category, parent string, codes any) {
		list, _ := codes.(spec.Pairs)
		for _, p := range list {
			body := p.Value.(spec.Pairs)
			name, values := p.Key, map[string]string{"category": category, "parent": parent}
			for _, e := range body {
				if e.Key == "value" {
					name = e.Value.(string)
				} else if e.Key != "codes" {
					values[e.Key] = fmt.Sprint(e.Value)
				}
			}
			x.codes[name], x.names[name] = values, true
			for _, key := range []string{"aliases", "names"} {
				list, _ := body.Get(key).([]any)
				for _, alias := range list {
					x.names[alias.(string)] = true
				}
			}
			if number := values["number"]; number != "" && root.Get("numbers") != nil {
				x.numbers[category+"/"+number] = true
			} else if number != "" {
				x.numbers["/"+number] = true
			}
			add(category, name, body.Get("codes"))
		}
	}
	for _, c := range root.Get("categories").(spec.Pairs) {
		add(c.Key, "", c.Value.(spec.Pairs).Get("codes"))
	}
	reserved, _ := root.Get("reserved").(spec.Pairs)
	for _, kind := range []string{"codes", "numbers"} {
		list, _ := reserved.Get(kind).([]any)
		for _, item := range list {
			if p, ok := item.(spec.Pairs); ok {
				x.reserved[fmt.Sprint(p.Get("category"), "/", p.Get("from"))] = true
				item = p.Get("name")
			}
			x.reserved[strings.TrimSuffix(kind, "s")+" "+fmt.Sprint(item)] = true
		}
	}
	return x
}

// keep adds the names and numbers of an earlier version.
func (x *taxonomy) keep(earlier *taxonomy) {
	for name := range earlier.names {
		x.names[name] = true
	}
	for number := range earlier.numbers {
		x.numbers[number] = true
	}
}

func parse(src []byte) *breaking.Taxonomy {
	tree, _ := spec.Parse("taxonomy.yaml", src)
	return breaking.New(tree)
}
