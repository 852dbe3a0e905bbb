package emit

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
)

func TestGroupImports(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"none", "var X = 1", "var X = 1"},
		{"one", "import \"fmt\"\n\nvar X = 1", "import \"fmt\"\n\nvar X = 1"},
		{"both", "import (\n\"encoding/json\"\npgx \"github.com/jackc/pgx/v5\"\nrand \"math/rand/v2\"\n)\n\nvar X = 1",
			"import (\n\"encoding/json\"\nrand \"math/rand/v2\"\n\npgx \"github.com/jackc/pgx/v5\"\n)\n\nvar X = 1"},
		{"later text", "var X = `\nimport (\n`", "var X = `\nimport (\n`"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const head = "// A comment.\npackage p\n\n"
			assert.Equal(t, head+tt.want, string(groupImports([]byte(head+tt.in))))
		})
	}
}

func TestImportNames(t *testing.T) {
	for _, tt := range []struct{ path, want, line string }{
		{"io", "io", `"io"`},
		{"encoding/json", "json", `"encoding/json"`},
		{"math/rand/v2", "rand", `rand "math/rand/v2"`},
		{"github.com/jackc/pgx/v5", "pgx", `pgx "github.com/jackc/pgx/v5"`},
		{"github.com/jackc/pgx/v5/pgconn", "pgconn", `pgconn "github.com/jackc/pgx/v5/pgconn"`},
		{"gopkg.in/yaml.v3", "yaml", `yaml "gopkg.in/yaml.v3"`},
		{"example.org/go-my.lib", "mylib", `mylib "example.org/go-my.lib"`},
		{"example.org/json", "json2", `json2 "example.org/json"`},         // encoding/json
		{"example.org/errors", "errors2", `errors2 "example.org/errors"`}, // the standard library's
		{"example.org/type", "type2", `type2 "example.org/type"`},         // a keyword
		{"example.org/123", "pkg", `pkg "example.org/123"`},
		{"other.org/pgx", "pgx2", `pgx2 "other.org/pgx"`}, // sorted after github.com/jackc/pgx/v5
	} {
		m := &model.Package{}
		for _, path := range []string{"encoding/json", "github.com/jackc/pgx/v5", tt.path} {
			m.Rules = append(
				m.Rules, &model.Rule{Conditions: []detect.Condition{{Key: detect.Is, Any: []string{path + ".Err"}}}})
		}
		g := newGenerator(m)
		assert.Equal(t, tt.want, g.imports[tt.path])
		f := g.newFile()
		f.Add(jen.Qual(tt.path, "X")).Line().Add(jen.Qual("fmt", "X"))
		var src strings.Builder
		require.NoError(t, f.Render(&src))
		assert.Contains(t, src.String(), "\n"+tt.line+"\n")
	}
}

// A package level name of one lower-case word would collide with an import of that name.
func TestImportNamesAvoidGeneratedNames(t *testing.T) {
	for _, path := range []string{"../../gen/errs", "testdata/golden/provider", "../../examples/duyetbot/errs"} {
		files, err := filepath.Glob(path + "/*.go")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range regexp.MustCompile(`(?m)^(?:func|var|type|const) ([a-z]+)\b`).FindAllSubmatch(src, -1) {
				assert.True(t, reservedImport(string(m[1]), "example.org/x"), "%s declares %s", file, m[1])
			}
		}
	}
}
