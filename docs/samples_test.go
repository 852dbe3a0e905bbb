//go:build unix

package docs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// samples are the pages whose Go uses the package of their first taxonomy. The Go is in
// testdata/samples/NAME, which imports that package as example.com/shop/NAME.
var samples = map[string]string{
	"readme": "../README.md", "classification": "classification.md", "recovery": "recovery.md",
	"retry": "retry.md", "services": "services.md", "triage": "triage.md",
}

// TestSamples generates the packages, and runs their tests with those of the samples.
func TestSamples(t *testing.T) {
	r := newReader(t, nil)
	for name, page := range samples {
		for _, b := range blocks(read(t, page)) {
			if b.info == "yaml complete" {
				r.write("taxonomy.yaml", b.text)
				break
			}
		}
		out, err := r.run("errgen generate -o " + name)
		require.NoError(t, err, out)
		require.NoError(t, os.CopyFS(filepath.Join(r.dir, name), os.DirFS(filepath.Join("testdata", "samples", name))))
	}
	out, err := r.run("go test ./...")
	require.NoError(t, err, out)
}
