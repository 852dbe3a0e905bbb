package catalogue

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/output"
)

var formats = []Format{HTML, Markdown}

func load(t *testing.T, src []byte) *model.Package {
	t.Helper()
	m, findings := check.Load("taxonomy.yaml", src)
	require.NotNil(t, m, "%v", findings)
	return m
}

func loadFile(t *testing.T, name string) *model.Package {
	t.Helper()
	src, err := os.ReadFile(name)
	require.NoError(t, err)
	return load(t, src)
}

func byName(files []output.File) map[string]string {
	m := make(map[string]string)
	for _, f := range files {
		m[f.Name] = string(f.Content)
	}
	return m
}

var (
	htmlLink     = regexp.MustCompile(`(?:href|src|action)="([^":]*)"`)
	markdownLink = regexp.MustCompile(`\]\(([^)]*)\)`)
)

// TestLinks follows each link of each page to a file, and to an element if it has a fragment.
func TestLinks(t *testing.T) {
	for _, taxonomy := range []string{"../../taxonomy.yaml", "../../examples/quickstart/taxonomy.yaml",
		"../spec/testdata/everything.yaml"} {
		m := loadFile(t, taxonomy)
		for _, format := range formats {
			files := byName(Files(m, Options{Format: format, Mark: "a mark"}))
			expression := map[Format]*regexp.Regexp{HTML: htmlLink, Markdown: markdownLink}[format]
			links := 0
			for name, content := range files {
				for _, l := range expression.FindAllStringSubmatch(content, -1) {
					to, fragment, _ := strings.Cut(l[1], "#")
					file := name
					if to != "" {
						file = path.Join(path.Dir(name), to)
					}
					links++
					if assert.Contains(t, files, file, "%s: %s links to %s", taxonomy, name, l[1]) && fragment != "" {
						assert.Contains(t, files[file], `id="`+fragment+`"`, "%s links to %s", name, l[1])
					}
				}
			}
			assert.Greater(t, links, 4*len(files))
		}
	}
}

// Each language has the same pages, with its texts and links to the other languages.
func TestLanguages(t *testing.T) {
	m := loadFile(t, "../../examples/shop/taxonomy.yaml")
	for _, tag := range []string{"de", "pl"} {
		name := "../../examples/shop/taxonomy.messages." + tag + ".yaml"
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		l, _, findings := check.Messages(m, name, tag, src)
		require.NotNil(t, l, findings)
		m.Languages = append(m.Languages, l)
	}
	for format, p := range map[Format]string{HTML: "ORDER_NOT_FOUND/index.html", Markdown: "ORDER_NOT_FOUND.md"} {
		files := byName(Files(m.PublicOnly(), Options{Format: format}))
		link := map[Format]string{HTML: `"%s"`, Markdown: "(%s)"}[format]
		up := strings.Repeat("../", strings.Count(p, "/"))
		assert.Contains(t, files[p], fmt.Sprintf(link, up+"de/"+p))
		assert.NotContains(t, files[p], "Bestellung")
		assert.Contains(t, files["de/"+p], "Prüfen Sie die Nummer")
		assert.Contains(t, files["de/"+p], fmt.Sprintf(link, "../"+up+p))
		assert.Contains(t, files["de/"+p], fmt.Sprintf(link, "../"+up+"pl/"+p))
		assert.Contains(t, files["pl/"+p], "Nie ma zamówienia")
		for name := range files {
			if !strings.HasPrefix(name, "de/") && !strings.HasPrefix(name, "pl/") {
				assert.Contains(t, files, "de/"+name)
			}
		}
	}
}

func TestDeterministic(t *testing.T) {
	for _, format := range formats {
		first := Files(loadFile(t, "../../taxonomy.yaml"), Options{Format: format})
		assert.Equal(t, first, Files(loadFile(t, "../../taxonomy.yaml"), Options{Format: format}))
	}
}

func TestPaths(t *testing.T) {
	tests := map[string]struct {
		helpURL string
		format  Format
		want    map[string]string // by code
	}{
		"no help_url":  {"", HTML, map[string]string{"A": "A/index.html"}},
		"last segment": {"https://x.org/errors/{code}", HTML, map[string]string{"A": "A/index.html"}},
		"slash":        {"https://x.org/errors/{code}/", HTML, map[string]string{"A": "A/index.html"}},
		"file": {"https://x.org/errors/{code}.html", HTML, map[string]string{"A": "A.html",
			"index": "index-2.html"}},
		"part of a name":  {"https://x.org/e/error-{code}", HTML, map[string]string{"A": "error-A/index.html"}},
		"segments behind": {"https://x.org/{code}/about?x=1", HTML, map[string]string{"A": "A/about/index.html"}},
		"fragment":        {"https://x.org/errors#{code}", HTML, map[string]string{"A": "A/index.html"}},
		"up":              {"https://x.org/{code}/../../..", HTML, map[string]string{"A": "A/-../-../-../index.html"}},
		"case":            {"", HTML, map[string]string{"A": "A/index.html", "a": "a-2/index.html"}},
		"index":           {"", HTML, map[string]string{"index.html": "index.html-2/index.html"}},
		"not names of files": {"", HTML, map[string]string{"..": "-../index.html", "a/../b": "a-..-b/index.html",
			`a\b`: "a-b/index.html", "": "/index.html"}},
		"Markdown": {"https://x.org/errors/{code}", Markdown, map[string]string{"A": "A.md", "README": "README-2.md"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, code := range []string{"A", "a", "index", "index.html", "README", "..", "a/../b", `a\b`} {
				if want, ok := tt.want[code]; ok {
					p := newPaths(tt.helpURL, tt.format)
					p.claim("", "")
					if code == "a" {
						p.claim("code", "A")
					}
					assert.Equal(t, want, p.claim("code", code))
				}
			}
		})
	}
}

const mixed = `errgen: 1
package: shop
domain: shop.example.com
help_url: https://shop.example.com/errors/{code}
public: {code: OOPS}
groups: {secretgroup: Internal only., customer: The customer can help.}
policies: {secretpolicy: {max_attempts: 2, initial_delay: 1s}}
reactions: {secretreaction: {action: retry, policy: secretpolicy}}
categories:
  order:
    doc: The order was refused.
    fields:
      orderId: {type: string, required: true, audience: public, doc: The order.}
      secretfield: {enum: [secretword]}
    codes:
      GONE: {doc: There is no such order., message: 'no order {orderId}', audience: public, groups: [customer],
        deprecated: Merged., replaced_by: SECRET_CODE, set: {secretfield: secretword}, resolution: Look again.}
      SECRET_CODE: {doc: Secret doc., message: 'secret message', retryable: true, reaction: secretreaction,
        groups: [secretgroup]}
  secretcategory: {doc: Secret too., codes: {SECRET_TOO: {doc: Secret., message: secret}}}
  other: {doc: Anything., codes: {OOPS: {doc: Something failed., message: something failed, audience: public}}}
`

// TestPublic searches what clients get for each internal name, value and text.
func TestPublic(t *testing.T) {
	for _, format := range formats {
		for _, f := range Files(load(t, []byte(mixed)).PublicOnly(), Options{Format: format, Public: true}) {
			assert.NotContains(t, strings.ToLower(f.Name), "secret")
			assert.NotContains(t, strings.ToLower(string(f.Content)), "secret", f.Name)
		}
		files := byName(Files(load(t, []byte(mixed)), Options{Format: format}))
		all := strings.ToLower(files["index.html"] + files["README.md"])
		for _, internal := range []string{"secret_code", "secretcategory", "secretreaction", "secretpolicy"} {
			assert.Contains(t, all, internal)
		}
	}
}

// TestHostileTexts: texts of the taxonomy never become markup or scripts.
func TestHostileTexts(t *testing.T) {
	const evil = `</script><img src=x onerror=alert(1)>"'|[x](javascript:alert(1))*_`
	inYAML := strings.ReplaceAll(evil, "'", "''")
	src := strings.NewReplacer("There is no such order.", "'"+inYAML+"'", "Look again.", "'"+inYAML+"'",
		"The order.", "'"+inYAML+"'", "no order {orderId}", strings.NewReplacer("[", "[[", "]", "]]").Replace(inYAML)).
		Replace(mixed)
	for _, format := range formats {
		files := Files(load(t, []byte(src)), Options{Format: format, Mark: output.Mark("docs", "a-->*/\nb.yaml")})
		for _, f := range files {
			assert.NotContains(t, string(f.Content), "<img", f.Name)
			first, _, _ := strings.Cut(string(f.Content), "\n")
			assert.Contains(t, first, "from a--__/_b.yaml. DO NOT EDIT.", f.Name)
			if format == Markdown {
				assert.NotContains(t, string(f.Content), "[x](", f.Name)
			}
		}
		if format == HTML {
			assert.True(t, bytes.Contains(files[0].Content, []byte("&lt;img")))
		}
	}
}

func TestMarkdownText(t *testing.T) {
	for text, want := range map[string]string{
		"a plain text.":   "a plain text.",
		"SNAKE_CASE_NAME": "SNAKE_CASE_NAME",
		"_emphasis_":      `\_emphasis\_`,
		"a | b":           `a \| b`,
		"a\n  b":          "a b",
		"<b> & `c`":       "&lt;b> &amp; \\`c\\`",
		"[a](b) *c*":      `\[a\](b) \*c\*`,
	} {
		assert.Equal(t, want, escapeMarkdown(text))
	}
}

// TestMany: a page does not list all codes of a large category.
func TestMany(t *testing.T) {
	var src strings.Builder
	src.WriteString("errgen: 1\npackage: many\ncategories:\n  big:\n    doc: Many codes.\n    codes:\n")
	for i := range 300 {
		fmt.Fprintf(&src, "      CODE_%d: {doc: A code., message: m}\n", i)
	}
	for _, format := range formats {
		files := byName(Files(load(t, []byte(src.String())), Options{Format: format}))
		page := files["CODE_7/index.html"] + files["CODE_7.md"]
		assert.Equal(t, maxRelated, len(regexp.MustCompile(`(</a>|\.md\):) A code\.`).FindAllString(page, -1)))
		assert.Contains(t, page, "All codes of big")
	}
}

// TestWithoutDoc lists codes of an imported table, which have no doc.
func TestWithoutDoc(t *testing.T) {
	m := load(t, []byte("errgen: 1\npackage: t\ncategories: {c: {codes: {A: {message: the disk is full}}}}\n"))
	for _, format := range formats {
		files := byName(Files(m, Options{Format: format}))
		assert.Regexp(t, `(<td>|\) \| )the disk is full( \||</td>)`, files["index.html"]+files["README.md"])
	}
}

// TestServicePages reads pages of a taxonomy with an audience: near the title, of fields, and with
// the formats of the message.
func TestServicePages(t *testing.T) {
	m := loadFile(t, "../cli/starter_service.yaml")
	html, markdown := byName(Files(m, Options{Format: HTML})), byName(Files(m, Options{Format: Markdown}))
	for name, want := range map[string][]string{
		"INVALID/index.html":    {`{violations:count}</a> violation(s)`, `<span class="tag">public</span>`, `Public.`},
		"UNEXPECTED/index.html": {`<span class="tag">internal</span>`},
	} {
		for _, text := range want {
			assert.Contains(t, html[name], text, name)
		}
	}
	assert.Contains(t, markdown["INVALID.md"], "{violations:count} violation(s)")
	assert.Contains(t, markdown["INVALID.md"], "| Audience | public |")
	assert.Contains(t, markdown["UNEXPECTED.md"], "| Audience | internal |")
	assert.Regexp(t, `(?m)^\| .*requestId.*[Pp]ublic.*\|$`, markdown["INVALID.md"])
}

// TestProfileOfBranch reads the changes of a profile to a branch that has another severity than the code.
func TestProfileOfBranch(t *testing.T) {
	files := byName(Files(loadFile(t, "../../examples/quickstart/taxonomy.yaml"), Options{Format: HTML}))
	_, changes, ok := strings.Cut(files["PAYMENT_DECLINED/index.html"], "<h3>night, case 1</h3>")
	require.True(t, ok)
	changes, _, _ = strings.Cut(changes, "</div>")
	assert.Contains(t, changes, "Reaction")
	assert.NotContains(t, changes, "Severity")
}

// TestFormerCodes looks for the pages at the addresses of aliases, of removed codes, and of codes
// before help_url changed.
func TestFormerCodes(t *testing.T) {
	m := load(t, []byte("errgen: 1\npackage: errs\ndomain: x.org\nhelp_url: https://x.org/errors/{code}\n"+
		"categories: {io: {codes: {EOF: {message: end of file, aliases: [THE_END]}}}}\n"))
	for format, want := range map[Format][][2]string{
		HTML: {
			{"THE_END/index.html", `This code is now <a href="../EOF/index.html">EOF</a>`},
			{"GONE/index.html", `This code was removed. Use EOF. See <a href="../index.html">all codes</a>`},
			{"EOF.html", `This page is now <a href="EOF/index.html">EOF</a>`},
			{"THE_END.html", `<a href="THE_END/index.html">THE_END</a>`},
			{"GONE.html", `<a href="GONE/index.html">GONE</a>`},
		},
		Markdown: {{"THE_END.md", "[EOF](EOF.md)"}, {"GONE.md", "Use EOF. See [all codes](README.md)"}},
	} {
		files := byName(Files(m, Options{Format: format, Mark: "a mark",
			Removed:    []Removed{{"GONE", "Use EOF"}, {"EOF", "a code has the name"}},
			FormerURLs: []string{"https://x.org/errors/{code}.html", "https://x.org/errors/{code}"}}))
		for _, w := range want {
			assert.Contains(t, files[w[0]], w[1], w[0])
			assert.Contains(t, files[w[0]], "a mark", w[0])
		}
		assert.NotContains(t, files, "EOF-2.md")
		assert.NotContains(t, files["EOF/index.html"]+files["EOF.md"], "removed")
	}
}

// TestDocsOfInternalCategories removes the docs of internal categories from public pages.
func TestDocsOfInternalCategories(t *testing.T) {
	m := load(t, []byte("errgen: 1\npackage: errs\ncategories:\n"+
		"  io: {doc: For the team., codes: {EOF: {message: end of file, audience: public}}}\n"+
		"  net: {doc: For clients., audience: public, codes: {LOST: {message: lost}}}\n"))
	for _, format := range formats {
		var all strings.Builder
		for _, f := range byName(Files(m.PublicOnly(), Options{Format: format, Public: true})) {
			all.WriteString(f)
		}
		assert.NotContains(t, all.String(), "For the team.", format)
		assert.Contains(t, all.String(), "For clients.", format)
	}
}

// TestExitStatuses reads the table of exit statuses, also of a branch and of codes without one.
func TestExitStatuses(t *testing.T) {
	const codes = "errgen: 1\npackage: t\nfields: {n: {type: int}}\n" +
		"categories: {c: {codes: {A: {message: a, exit: 75, when: [{if: {n: 1}, exit: 69}]}, " +
		"B: {message: b}, C: {message: c, exit: 75}}}}\n"
	html, markdown := byName(Files(load(t, []byte(codes)), Options{Format: HTML})),
		byName(Files(load(t, []byte(codes)), Options{Format: Markdown}))
	assert.Contains(t, markdown["README.md"], "## Exit statuses\n\n| Status | Codes |\n|---|---|\n"+
		"| 1 | [B](B.md) |\n| 69 | [A](A.md) |\n| 75 | [A](A.md), [C](C.md) |\n")
	assert.Contains(t, markdown["A.md"], "| Exit status | 75 |")
	assert.Contains(t, html["index.html"],
		`<tr><td>69</td><td><a class="code" href="A/index.html">A</a></td></tr>`)
	assert.Contains(t, html["A/index.html"], `<span class="tag">exit status 75</span>`)
	none := byName(Files(load(t, []byte(strings.ReplaceAll(strings.ReplaceAll(codes, ", exit: 75", ""),
		"exit: 69", "http: 404"))), Options{Format: Markdown}))
	assert.NotContains(t, none["README.md"], "Exit statuses")
}
