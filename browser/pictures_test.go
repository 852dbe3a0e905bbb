package browser

import (
	"bytes"
	"flag"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "make the pictures of docs/images anew")

// TestPictures makes the pictures that the documentation shows. Browsers of other versions draw a
// little differently, so without -update it only checks that they are there and small enough.
func TestPictures(t *testing.T) {
	for name, c := range map[string]struct {
		dark bool
		// from is the section with which the picture begins.
		from string
	}{
		"report-light.png": {false, "header"}, "report-dark.png": {true, "#groups"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("..", "docs", "images", name)
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, picture(t, view{height: 1200, dark: c.dark}, c.from), 0o644))
			}
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			config, err := png.DecodeConfig(bytes.NewReader(b))
			require.NoError(t, err)
			assert.Equal(t, 1280, config.Width)
			assert.Less(t, len(b), 150_000)
		})
	}
}

// picture takes a picture of what is seen from an element on.
func picture(t *testing.T, v view, from string) []byte {
	t.Helper()
	p := openSample(t, v)
	eval[any](p, fmt.Sprintf(`document.querySelector(%q).scrollIntoView({ behavior: 'instant' })`, from))
	shot, err := chromedp.Run(p, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(shot))
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img))
	return b.Bytes()
}
