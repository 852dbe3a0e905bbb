package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/problem"
	"shop.example.com/shop/errs"
)

// TestPublicPackageInBinary builds a program with the package for clients alone. It searches the
// program for the internal texts of the taxonomy, and runs it against a server.
func TestPublicPackageInBinary(t *testing.T) {
	program := build(t, "./client/placeorder")
	other := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(other, []byte(withoutTaxonomy), 0o600))
	binary, runtime := read(t, program), read(t, build(t, other))

	internal, public := taxonomyTexts(t)
	require.Greater(t, len(internal), 50)
	require.Greater(t, len(public), 12)
	for _, text := range public {
		assert.True(t, strings.Contains(binary, text), "missing: %s", text)
	}
	var shared []string
	for _, text := range internal {
		if strings.Contains(runtime, text) {
			shared = append(shared, text)
			continue
		}
		assert.False(t, strings.Contains(binary, text), "in the program: %s", text)
	}
	assert.LessOrEqual(t, len(shared), 8, "texts of the runtime: %q", shared)

	for _, tt := range []struct {
		sent error
		want string
	}{
		{errs.NewPaymentDeclined(), "pay with another card: payment declined\n"},
		{errs.NewStoreFailed().WithStoreText("relation does not exist"), "internal error\n"},
		{errs.NewOrderExists("o-1"), ""},
	} {
		serve := func(http.ResponseWriter, *http.Request) error { return tt.sent }
		server := httptest.NewServer(problem.Handler(serve, problem.ByTable(errs.Table),
			problem.OnError(func(*http.Request, error) {})))
		defer server.Close()
		printed, err := exec.Command(program, server.URL, "o-1").CombinedOutput()
		assert.Equal(t, tt.want, string(printed))
		assert.Equal(t, tt.want == "", err == nil, err)
	}
}

// withoutTaxonomy is a program with the runtime, and without a taxonomy. Some texts of the shop's
// taxonomy are also in the runtime, such as the SQLSTATEs that tell whether a call had an effect.
const withoutTaxonomy = `package main

import (
	"context"
	"net/http"

	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func main() {
	table := taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{}}
	_ = retry.Do(context.Background(), func(context.Context) error {
		response, err := http.Get("http://localhost")
		if err != nil {
			return err
		}
		return problem.Read(response, table)
	}, retry.ByTable(table))
}
`

func build(t *testing.T, main string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	out, err := exec.Command("go", "build", "-o", program, main).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(b)
}

// A key of the taxonomy with a text, and the codes of rules for PostgreSQL.
var (
	docs      = regexp.MustCompile(`\bdoc: ([^,}\n]+)`)
	sqlStates = regexp.MustCompile(`postgres, code: \[([^]]+)\]`)
)

// taxonomyTexts returns the texts of the taxonomy that clients must not see, and those of codes that
// they see. Texts of up to 5 bytes occur in any program by chance, except SQLSTATEs with a letter.
func taxonomyTexts(t *testing.T) (internal, public []string) {
	hide := func(texts ...string) {
		for _, text := range texts {
			if text = strings.TrimSpace(text); len(text) > 5 {
				internal = append(internal, text)
			}
		}
	}
	src := read(t, "taxonomy.yaml")
	_, handling, _ := strings.Cut(src, "\nsources:")
	handling, _, _ = strings.Cut(handling, "\noperations:")
	for _, doc := range docs.FindAllStringSubmatch(handling, -1) {
		hide(doc[1])
	}
	for _, list := range sqlStates.FindAllStringSubmatch(src, -1) {
		internal = append(internal, strings.Split(strings.ReplaceAll(list[1], "'", ""), ", ")...)
	}
	hide("source: postgres", "source: gateway", "source: breaker", "postgres", "gateway", "pay_again")
	for _, c := range errs.Table.Taxonomy.Categories {
		seen := false
		for _, code := range c.Codes[1:] {
			if code.Public {
				seen, public = true, append(public, code.Value, code.Doc)
				continue
			}
			text, _, _ := strings.Cut(code.Message, "[")
			hide(code.Value, code.Doc, code.Resolution, text)
		}
		if !seen || c.Name == "server" {
			hide(c.Doc)
		}
		for _, f := range c.Fields {
			if !f.Public && f.Name != "source" && f.Name != "setting" { // also words of the runtime
				hide(f.Name)
			}
		}
	}
	return internal, public
}
