package browser

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/catalogue"
	"github.com/errgen/errgen/internal/check"
)

// writeCatalogue writes the catalogue of a taxonomy to a directory and returns the directory and
// the paths of the pages.
func writeCatalogue(t *testing.T, taxonomy string) (dir string, pages []string) {
	t.Helper()
	src, err := os.ReadFile(taxonomy)
	require.NoError(t, err)
	m, findings := check.Load("taxonomy.yaml", src)
	require.NotNil(t, m, findings)
	dir = t.TempDir()
	for _, f := range catalogue.Files(m, catalogue.Options{Mark: "made for a test"}) {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Content, 0o644))
		if strings.HasSuffix(f.Name, ".html") {
			pages = append(pages, f.Name)
		}
	}
	return dir, pages
}

const (
	shop = "../examples/quickstart/taxonomy.yaml"
	aidf = "../taxonomy.yaml"
)

// openCatalogue serves a catalogue and opens a page of it.
func openCatalogue(t *testing.T, taxonomy, page string, v view) *opened {
	t.Helper()
	dir, _ := writeCatalogue(t, taxonomy)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	return openURL(t, server.URL+"/"+page, v)
}

const found = ".category tbody th a"

// TestCatalogueFromDisk opens each page as a file: it loads only files of the catalogue, reports
// nothing, and its links lead to files and elements that exist.
func TestCatalogueFromDisk(t *testing.T) {
	dir, pages := writeCatalogue(t, shop)
	p := openURL(t, "file://"+filepath.ToSlash(dir)+"/index.html", view{})
	for _, page := range pages {
		require.NoError(t, chromedp.Do(p, chromedp.Navigate("file://"+filepath.ToSlash(dir)+"/"+page)))
		for _, link := range eval[[]string](p, `[...document.querySelectorAll('a[href]')].map(a => a.href)`) {
			file, ok := strings.CutPrefix(link, "file://")
			file, fragment, _ := strings.Cut(file, "#")
			assert.True(t, ok, link)
			assert.FileExists(t, filepath.FromSlash(file), page)
			if fragment != "" {
				assert.True(t, eval[bool](p, `document.getElementById('`+fragment+`') !== null`), link)
			}
		}
		assert.NotEmpty(t, p.texts("h1"), page)
	}
	assert.Empty(t, p.messages)
	for _, url := range p.requests {
		assert.True(t, strings.HasPrefix(url, "file://"+filepath.ToSlash(dir)+"/"), url)
	}
}

// TestCatalogueServed: the address that help_url promises leads to the page.
func TestCatalogueServed(t *testing.T) {
	p := openCatalogue(t, shop, "PAYMENT_DECLINED", view{})
	assert.Equal(t, []string{"PAYMENT_DECLINED"}, p.texts("h1"))
	assert.Contains(t, strings.Join(p.texts(".case"), ""), "If reason is SUSPECTED_FRAUD")
	p.follow(func() { p.press(".crumbs a") })
	assert.Len(t, p.texts(found), 4)
	assert.Empty(t, p.messages)
	origin := eval[string](p, `location.origin`)
	for _, url := range p.requests {
		assert.True(t, strings.HasPrefix(url, origin+"/"), url)
	}
}

// TestCatalogueSearch searches, filters and opens a page by keyboard alone.
func TestCatalogueSearch(t *testing.T) {
	p := openCatalogue(t, aidf, "", view{})
	all := len(p.texts(found))
	require.Greater(t, all, 20)
	status := func() string { return p.texts("#found")[0] }
	search := func(text string) []string {
		p.keys("/" + kb.Escape + text)
		return p.texts(found)
	}
	assert.Equal(t, []string{"PROVIDER_RATE_LIMIT"}, search("slow down"))
	assert.Equal(t, "1 of 24 codes", status())
	assert.Len(t, p.texts(".category"), 1, "categories without a code are hidden")
	assert.Equal(t, []string{"PROVIDER_RATE_LIMIT"}, search("104"), "a number")
	assert.Equal(t, []string{"PROVIDER_RATE_LIMIT"}, search("provider gpt-7 limits the rate, retry after 2m"))
	assert.Contains(t, status(), "the closest ones")
	assert.Empty(t, search("no such thing anywhere"))
	p.press("#clear")
	assert.Len(t, p.texts(found), all)
	assert.Equal(t, "q", eval[string](p, `document.activeElement.id`))

	p.press(`[data-filter="retryable"]`)
	retryable := len(p.texts(found))
	p.press(`[data-filter="final"]`)
	assert.Equal(t, all-retryable, len(p.texts(found)), "one filter of a kind is pressed")
	p.keys(kb.Enter)
	assert.Len(t, p.texts(found), all)

	search("timeout")
	p.keys(kb.ArrowDown + kb.ArrowDown)
	assert.Equal(t, "OPERATION_TIMEOUT", eval[string](p, `document.activeElement.textContent`))
	p.keys(kb.ArrowUp + kb.ArrowUp)
	assert.Equal(t, "q", eval[string](p, `document.activeElement.id`))
	p.follow(func() { p.keys(kb.Enter) })
	assert.Equal(t, []string{"ITERATION_TIMEOUT"}, p.texts("h1"), "Enter opens the first code")

	p.follow(func() { p.keys("/" + kb.Escape + "git push" + kb.Enter) })
	assert.Equal(t, []string{"GIT_PUSH_FAILED"}, p.texts(found), "a search from another page")
	assert.Empty(t, p.messages)
}

func TestCatalogueTheme(t *testing.T) {
	p := openCatalogue(t, shop, "", view{})
	ground := func() string { return eval[string](p, `getComputedStyle(document.body).backgroundColor`) }
	light := ground()
	p.press("#theme")
	dark := ground()
	assert.NotEqual(t, light, dark)
	p.follow(func() { p.press(found) })
	assert.Equal(t, dark, ground(), "other pages have the theme too")
}

// TestCatalogueLook checks WCAG's contrast, targets of at least 24 pixels, and no horizontal
// overflow.
func TestCatalogueLook(t *testing.T) {
	dir, _ := writeCatalogue(t, shop)
	long, _ := writeCatalogue(t, aidf)
	pages := []string{dir + "/index.html", dir + "/PAYMENT_DECLINED/index.html", dir + "/policy/gateway.html",
		dir + "/reaction/pay_again.html", long + "/PROVIDER_RATE_LIMIT/index.html", long + "/category/provider.html"}
	for _, v := range []view{{width: 1280}, {width: 1280, dark: true}, {width: 360}, {width: 360, dark: true}} {
		p := openURL(t, "file://"+pages[0], v)
		for _, page := range pages {
			require.NoError(t, chromedp.Do(p, chromedp.Navigate("file://"+page)))
			eval[any](p, `document.querySelectorAll('details').forEach(d => { d.open = true })`)
			assert.Greater(t, eval[int](p, contrast+`.texts`), 20, page)
			assert.Empty(t, eval[[]string](p, contrast+`.low`), page)
			assert.LessOrEqual(t, eval[int64](p, `document.documentElement.scrollWidth`), v.width, page)
			assert.Empty(t, eval[[]string](p, `[...document.querySelectorAll('button, input, summary, .menu a')]
				.filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 24).map(e => e.outerHTML.slice(0, 90))`), page)
		}
	}
}

// TestCatalogueLayout fails if a text overlaps another one, is cut, or breaks inside a word.
func TestCatalogueLayout(t *testing.T) {
	dir, pages := writeCatalogue(t, aidf)
	for _, width := range widths {
		p := openURL(t, "file://"+dir+"/index.html", view{width: width, dark: width == 1280})
		for _, page := range pages {
			require.NoError(t, chromedp.Do(p, chromedp.Navigate("file://"+dir+"/"+page)))
			eval[any](p, `document.querySelectorAll('details').forEach(d => { d.open = true })`)
			assert.Empty(t, eval[[]string](p, layout), "%s at %d", page, width)
		}
	}
}

func TestCatalogueWithoutScript(t *testing.T) {
	p := openCatalogue(t, shop, "", view{noScript: true})
	assert.Len(t, p.texts(found), 4)
	assert.Empty(t, p.texts("#q, #theme, .filters"))
}

// TestCataloguePictures takes the pictures of the documentation with -update.
func TestCataloguePictures(t *testing.T) {
	for name, shot := range map[string]struct {
		page   string
		search string
		view
	}{
		"catalogue-index.png": {"", "", view{width: 1100}},
		"catalogue-code.png":  {"PAYMENT_GATEWAY_FAILED/", "", view{width: 1100, dark: true}},
		"catalogue-phone.png": {"", "payment", view{width: 390}},
	} {
		if *update {
			p := openCatalogue(t, shop, shot.page, shot.view)
			if shot.search != "" {
				p.keys("/" + kb.Escape + shot.search)
			}
			takePicture(t, p, name)
		}
		checkPicture(t, name, int(shot.width), 120_000)
	}
}
