package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"
	"github.com/errgen/errgen/runtime/taxonomy"
	"shop.example.com/shop/errs"
	"shop.example.com/shop/orderspb"
)

func TestAcceptedLanguage(t *testing.T) {
	notFound := errs.NewOrderNotFound("o-1")
	violations := make([]taxonomy.Violation, 5)
	for _, c := range []struct {
		accept           string
		err              error
		language, detail string
	}{
		{"", notFound, "en", "no order o-1"},
		{"fr-CH, de;q=0.8", notFound, "fr", "La commande o-1 n’existe pas"},
		{"it, de;q=0.8", notFound, "de", "Bestellung o-1 gibt es nicht"},
		{"en-GB, de;q=0.8", notFound, "en", "no order o-1"},
		{"ja", notFound, "en", "no order o-1"},
		{"*", notFound, "en", "no order o-1"},
		{"de;q=x", notFound, "en", "no order o-1"},
		{strings.Repeat("de,", 1000), notFound, "en", "no order o-1"},
		{"pl", errs.NewInvalid(violations[:1]), "pl", "Nieprawidłowe żądanie: 1 błąd"},
		{"pl", errs.NewInvalid(violations[:3]), "pl", "Nieprawidłowe żądanie: 3 błędy"},
		{"pl", errs.NewInvalid(violations), "pl", "Nieprawidłowe żądanie: 5 błędów"},
		{"pl", errs.NewInvalid(nil), "pl", "Nieprawidłowe żądanie"},
		{"de", errs.NewStoreDown(), "de", "Interner Fehler"},
	} {
		t.Run(c.accept+" "+c.detail, func(t *testing.T) {
			handler := problem.Handler(func(http.ResponseWriter, *http.Request) error { return c.err },
				problem.ByTable(errs.Table), problem.Localize(languages.Message),
				problem.OnError(func(*http.Request, error) {}))
			request := httptest.NewRequest("GET", "/orders/o-1", nil)
			if c.accept != "" {
				request.Header.Set("Accept-Language", c.accept)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, request)
			assert.Contains(t, w.Body.String(), `"detail":"`+c.detail+`"`)
			assert.Equal(t, c.language, w.Header().Get("Content-Language"))
			assert.Equal(t, []string{"Accept-Language", "Accept"}, w.Header().Values("Vary"))

			server := grpc.NewServer(grpc.ChainUnaryInterceptor(grpcerr.UnaryServer(rpc.ByTable(errs.Table),
				rpc.OnError(func(context.Context, string, error) {}), grpcerr.Localize(languages.Message))))
			orderspb.RegisterOrdersServer(server, failing{err: c.err})
			s := dial(t, server)
			_, err := s.Get(metadata.AppendToOutgoingContext(t.Context(), "accept-language", c.accept),
				&orderspb.GetRequest{})
			var sent *errdetails.LocalizedMessage
			for _, d := range status.Convert(err).Details() {
				if m, ok := d.(*errdetails.LocalizedMessage); ok {
					sent = m
				}
			}
			require.NotNil(t, sent)
			assert.Equal(t, c.language, sent.Locale)
			assert.Equal(t, c.detail, sent.Message)
		})
	}
}

// Every public code has a text in every language, which shows the fields of the English one.
func TestEveryPublicCodeHasTexts(t *testing.T) {
	for _, language := range []string{"de", "fr", "pl"} {
		shown := 0
		for _, category := range errs.Table.Taxonomy.Categories {
			for _, code := range category.Codes {
				if !code.Public {
					continue
				}
				row, ok := errs.Table.Taxonomy.Find(code.Value)
				require.True(t, ok)
				v := errs.Table.Public(errs.Table.Taxonomy.New(row, nil))
				tag, message := languages.Message([]string{language}, v)
				assert.Equal(t, language, tag, code.Value)
				assert.NotEqual(t, v.Message(), message)
				shown++
			}
		}
		assert.Equal(t, 8, shown)
	}
}

// A program links the languages that it uses, and without any it links none of the packages.
func TestLinkedLanguages(t *testing.T) {
	for _, c := range []struct {
		name, use    string
		has, without []string
	}{
		{"none", "", nil, []string{"Bestellung", "zamówienia", "commande", "runtime/localize", "x/text/language"}},
		{"German", "_, _ = messages.De.Message(errs.Table.Public(err))", []string{"Bestellung", "runtime/localize"},
			[]string{"zamówienia", "commande", "x/text/language"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			program := "package main\n\nimport (\n\t\"fmt\"\n\n\t\"shop.example.com/shop/errs\"\n"
			if c.use != "" {
				program += "\t\"shop.example.com/shop/errs/messages\"\n"
			}
			program += ")\n\nfunc main() {\n\terr := errs.NewOrderNotFound(\"1\")\n\tfmt.Println(err)\n\t" +
				c.use + "\n}\n"
			require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644))
			out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "program"),
				filepath.Join(dir, "main.go")).CombinedOutput()
			require.NoError(t, err, "%s", out)
			binary, err := os.ReadFile(filepath.Join(dir, "program"))
			require.NoError(t, err)
			for _, text := range c.has {
				assert.Contains(t, string(binary), text)
			}
			for _, text := range c.without {
				assert.False(t, strings.Contains(string(binary), text), text)
			}
		})
	}
}
