package state_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// forms are texts that have a secret in them, which stands where the % is.
var forms = map[string]string{
	"key of a provider":  "sk-ant-api03-%",
	"token of a forge":   "ghp_%",
	"password":           "password=%",
	"variable":           "export OPENAI_API_KEY=%",
	"in JSON":            `{"api_key": "%", "n": 1}`,
	"in escaped JSON":    `{\"client_secret\": \"%\"}`,
	"header":             "Authorization: Bearer %",
	"header of a key":    "x-api-key: %",
	"cookie":             "Set-Cookie: session=%; Path=/",
	"in an address":      "https://user:%@example.org/repo.git",
	"flag":               "curl -u user:% https://example.org",
	"web token":          "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.%",
	"private key":        "-----BEGIN PRIVATE KEY-----\n%\n-----END PRIVATE KEY-----",
	"in a line of a log": "level=error msg=\"cannot log in\" token=% attempt=3",
}

// formNames are the names of the forms, in order.
func formNames() []string { return slices.Sorted(maps.Keys(forms)) }

// secrets plants secrets, each of them once.
type secrets struct{ planted []string } // where, by number

// A secret is a unit with its number, four times, so that a part of it is found too.
const unit = "q9zx%06d"

var units = regexp.MustCompile(`q9zx(\d{6})`)

// one returns a text with a secret of the form, which is planted where the way says.
func (s *secrets) one(form, way string) string {
	secret := strings.Repeat(fmt.Sprintf(unit, len(s.planted)), 4)
	s.planted = append(s.planted, way+", "+form)
	return strings.ReplaceAll(forms[form], "%", secret)
}

// found returns where the secrets were planted that are in the text.
func (s *secrets) found(text string) (where []string) {
	for _, at := range units.FindAllStringSubmatchIndex(text, -1) {
		number, err := strconv.Atoi(text[at[2]:at[3]])
		if err != nil || number >= len(s.planted) {
			continue
		}
		where = append(where, fmt.Sprintf("%s: %q", s.planted[number], text[max(0, at[0]-80):min(len(text), at[1]+40)]))
	}
	slices.Sort(where)
	return slices.Compact(where)
}

// lines returns a text with a secret of every form.
func (s *secrets) lines(way string) string {
	var all []string
	for _, form := range formNames() {
		all = append(all, "it says "+s.one(form, way)+" here")
	}
	return strings.Join(all, "\n") + "\n"
}

// many returns a text of at least n bytes that is full of secrets, so that it is cut in one of them
// wherever it is cut.
func (s *secrets) many(way string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(s.lines(way + strings.Repeat("'", i)))
	}
	return b.String()
}

// absent looks for the secrets, and for parts of them, in the names and contents of all files below
// dir but those that begin with these names.
func (s *secrets) absent(t *testing.T, dir string, but ...string) {
	t.Helper()
	size := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() ||
			slices.ContainsFunc(but, func(name string) bool { return strings.HasPrefix(d.Name(), name) }) {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		size += len(b)
		found := s.found(path + "\n" + string(b))
		assert.Empty(t, found[:min(len(found), 20)], "%d secrets in clear in %s", len(found), d.Name())
		return nil
	}))
	require.Greater(t, size, 4096, "something was written")
}
