package detect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestRecordMasksAttributesByTheirWholeNames(t *testing.T) {
	for _, limit := range []int{0, 512} {
		for _, fill := range []string{"a", "\x00", `"`} {
			for _, name := range []string{"authorization", "client_secret_key", "password", "set-cookie",
				strings.Repeat("x", 300) + "-password"} {
				path := filepath.Join(t.TempDir(), "record")
				r, err := detect.OpenRecord(path, detect.RecordOptions{MaxEntry: limit})
				require.NoError(t, err)
				long := strings.Repeat(fill, 3000)
				require.NoError(
					t, r.Record(&taxonomy.Evidence{Source: long, Op: long, Type: long, Code: long, Text: long,
						Attributes: map[string]string{name: "hunter"}}))
				require.NoError(t, r.Close())
				b, err := os.ReadFile(path)
				require.NoError(t, err)
				assert.NotContains(t, string(b), "hunter", "%d %q %.40s", limit, fill, name)
			}
		}
	}
}
