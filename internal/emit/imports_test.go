package emit

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
)

func TestGroupImports(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"none", "package p\n\nvar X = 1\n", "package p\n\nvar X = 1\n"},
		{"one", "package p\n\nimport \"fmt\"\n", "package p\n\nimport \"fmt\"\n"},
		{"standard only", "package p\n\nimport (\n\"fmt\"\n\"time\"\n)\n\nvar x",
			"package p\n\nimport (\n\t\"fmt\"\n\t\"time\"\n)\n\nvar x"},
		{"others only", "package p\n\nimport (\n\"a.b/c\"\n\"a.b/d\"\n)\n\nvar x",
			"package p\n\nimport (\n\t\"a.b/c\"\n\t\"a.b/d\"\n)\n\nvar x"},
		{"both", "package p\n\nimport (\n\"a.b/c\"\n\"encoding/json\"\n\"time\"\n)\n\nvar x",
			"package p\n\nimport (\n\t\"encoding/json\"\n\t\"time\"\n\n\t\"a.b/c\"\n)\n\nvar x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, string(groupImports([]byte(tt.in), nil)))
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
		names := importNames(m)
		assert.Equal(t, tt.want, names[tt.path])
		assert.Contains(t, importBlock([]string{"a", tt.path}, names), "\t"+tt.line+"\n")
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
