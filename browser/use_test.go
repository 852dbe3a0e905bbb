package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/htmlreport"
)

func TestLoadsNothingAndSaysNothing(t *testing.T) {
	s, o := sample(t)
	page := write(t, s, o)
	for name, url := range map[string]string{"file": file(t, page), "server": serve(t, page)} {
		t.Run(name, func(t *testing.T) {
			p := open(t, url, view{})
			require.Equal(t, len(s.Groups), eval[int](p, `document.querySelectorAll('#group-table tbody tr').length`))
			require.Contains(t, eval[string](p, `document.getElementById('shown').textContent`), "shown",
				"the script ran")
			p.tabTo(`document.getElementById('theme')`)
			p.keys(" ")
			p.assertQuiet(url)
		})
	}
}

// TestPolicyForbidsTheNetwork tries what a text that got through would try.
func TestPolicyForbidsTheNetwork(t *testing.T) {
	s, o := sample(t)
	asked := make(chan string, 10)
	p := open(t, serveAnd(t, write(t, s, o), func(path string) { asked <- path }), view{})
	assert.Equal(t, "refused", eval[string](p, `(() => {
		const s = document.createElement('script');
		try {
			s.append('window.reached = true');
			document.body.append(s);
		} catch { return 'refused'; }
		return window.reached ? 'reached' : 'refused';
	})()`))
	assert.Equal(t, "refused", eval[string](p, `(() => {
		try { document.body.innerHTML = '<b>x</b>'; } catch { return 'refused'; }
		return 'reached';
	})()`))
	assert.Equal(t, "refused", eval[string](p, `fetch('/stolen').then(() => 'reached', () => 'refused')`))
	assert.Equal(t, "refused", eval[string](p, `new Promise(done => {
		const i = new Image();
		i.onload = () => done('reached');
		i.onerror = () => done('refused');
		i.src = '/stolen';
	})`))
	close(asked)
	for path := range asked {
		assert.Equal(t, "/", path)
	}
}

const column = `(name => [...document.querySelectorAll('#group-table thead th')].find(th => ` +
	`th.textContent.startsWith(name)))`

// cells are the texts of a column as they are shown.
func cells(p *opened, index int) []string {
	return eval[[]string](
		p, `[...document.querySelectorAll('#group-table tbody tr')].filter(r => !r.hidden).map(r => r.cells[`+
			string(rune('0'+index))+`].innerText.trim())`)
}

func TestSortByKeyboard(t *testing.T) {
	p := openSample(t, view{})
	sorted := func() map[string]string {
		return eval[map[string]string](
			p, `Object.fromEntries([...document.querySelectorAll('#group-table th[aria-sort]')].map(th => `+
				`[th.textContent.trim(), th.getAttribute('aria-sort')]))`)
	}
	assert.Equal(t, map[string]string{"Count": "descending"}, sorted())

	p.tabTo(column + `('Severity').querySelector('button')`)
	p.keys(kb.Enter)
	assert.Equal(t, map[string]string{"Severity": "descending"}, sorted())
	severities := cells(p, 0)
	assert.Equal(t, "critical", severities[0])
	assert.Equal(t, "low", severities[len(severities)-1])
	p.keys(" ")
	assert.Equal(t, map[string]string{"Severity": "ascending"}, sorted())
	assert.Equal(t, "low", cells(p, 0)[0])
	assert.True(t, eval[bool](p, `document.activeElement === `+column+`('Severity').querySelector('button')`),
		"the focus stays")

	p.tabTo(column + `('Category').querySelector('button')`)
	p.keys(" ")
	categories := cells(p, 2)
	assert.IsNonDecreasing(t, categories)
	assert.Equal(t, "api", categories[0])

	p.tabTo(column + `('First seen').querySelector('button')`)
	p.keys(kb.Enter + kb.Enter)
	assert.IsNonDecreasing(t, cells(p, 4))
}

// TestSortCodesByKeyboard leaves the row of all other codes where it is, and the groups as they
// are.
func TestSortCodesByKeyboard(t *testing.T) {
	p := open(t, serve(t, write(t, odd(), htmlreport.Options{})), view{})
	codes := func() []string {
		return eval[[]string](
			p, `[...document.querySelectorAll('#code-table tbody th')].map(th => th.innerText.trim())`)
	}
	groups := cells(p, 1)
	before := codes()
	require.Len(t, before, 50)
	assert.Equal(t, "24 more codes", before[49])
	p.tabTo(`document.querySelector('#code-table thead .col-what button')`)
	p.keys(kb.Enter)
	ascending := codes()
	assert.Equal(t, []string{"DATABASE_DOWN_0", "DATABASE_DOWN_1", "DATABASE_DOWN_2"}, ascending[:3])
	p.keys(" ")
	descending := codes()
	assert.Equal(t, "24 more codes", descending[49])
	assert.Equal(t, ascending[0], descending[48])
	assert.ElementsMatch(t, before, descending)
	p.tabTo(`document.querySelector('#code-table thead .col-count button')`)
	p.keys(" ")
	assert.Equal(t, before, codes())
	assert.Equal(t, groups, cells(p, 1))
}

func TestFilterByKeyboard(t *testing.T) {
	p := openSample(t, view{})
	all := len(cells(p, 0))
	p.tabTo(`document.getElementById('filter')`)
	p.keys("TYPE_err")
	assert.Equal(t, []string{"type_error", "type_error"}, cells(p, 2))
	assert.Regexp(t, `^2 of \d+ shown$`, eval[string](p, `document.getElementById('shown').textContent`))
	p.keys(" options")
	assert.Len(t, cells(p, 0), 1, "all words must be there")
	p.keys(" nowhere")
	assert.Empty(t, cells(p, 0))
	assert.True(t, eval[bool](p, `document.querySelector('.nomatch').checkVisibility()`))
	for range len("TYPE_err options nowhere") {
		p.keys(kb.Backspace)
	}
	assert.Len(t, cells(p, 0), all)
}

func TestDetailsByKeyboard(t *testing.T) {
	p := openSample(t, view{})
	const first = `document.querySelector('#group-table summary')`
	assert.False(t, eval[bool](p, `document.querySelector('.sample').checkVisibility()`))
	p.tabTo(first)
	assert.Equal(t, "solid", eval[string](p, `getComputedStyle(document.activeElement).outlineStyle`),
		"the focus is seen")
	p.keys(kb.Enter)
	assert.True(t, eval[bool](p, `document.querySelector('#group-table .sample').checkVisibility()`))
}

func TestSkipLink(t *testing.T) {
	p := openSample(t, view{})
	p.keys("\t")
	assert.Equal(t, "Skip to the report", eval[string](p, `document.activeElement.textContent`))
	assert.GreaterOrEqual(t, eval[float64](p, `document.activeElement.getBoundingClientRect().top`), 0.0)
	p.keys(kb.Enter)
	assert.Equal(t, "main", eval[string](p, `document.activeElement.id`))
}

// TestTheme follows the system until the button is used.
func TestTheme(t *testing.T) {
	p := openSample(t, view{})
	const ground = `getComputedStyle(document.body).backgroundColor`
	const button = `document.getElementById('theme').textContent`
	light := eval[string](p, ground)
	assert.Equal(t, "Dark theme", eval[string](p, button))
	p.scheme(true, false)
	dark := eval[string](p, ground)
	assert.NotEqual(t, light, dark)
	assert.Equal(t, "Light theme", eval[string](p, button))

	p.tabTo(`document.getElementById('theme')`)
	p.keys(kb.Enter)
	assert.Equal(t, light, eval[string](p, ground))
	assert.Equal(t, "Dark theme", eval[string](p, button))
	p.scheme(false, false)
	p.keys(" ")
	assert.Equal(t, dark, eval[string](p, ground), "the button wins over the system")
}

func TestWithoutScript(t *testing.T) {
	s, o := sample(t)
	p := open(t, serve(t, write(t, s, o)), view{noScript: true})
	assert.Equal(
		t, 0, eval[int](p, `[...document.querySelectorAll('button, input')].filter(e => e.checkVisibility()).length`),
		"what needs the script is not shown")
	assert.Len(t, cells(p, 0), len(s.Groups))
	assert.Equal(
		t, 2, eval[int](p, `[...document.querySelectorAll('figure svg.bars')].filter(e => e.checkVisibility()).length`))
	p.tabTo(`document.querySelector('#group-table summary')`)
	p.keys(kb.Enter)
	assert.True(t, eval[bool](p, `document.querySelector('#group-table .sample').checkVisibility()`))
}

func TestEmpty(t *testing.T) {
	url := serve(t, write(t, report.Snapshot{}, htmlreport.Options{}))
	p := open(t, url, view{width: 360})
	assert.Contains(t, eval[string](p, `document.querySelector('main').innerText`), "No errors were reported.")
	assert.Equal(t, "Error report", eval[string](p, `document.title`))
	p.assertQuiet(url)
}
