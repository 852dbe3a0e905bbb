package browser

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// thing is what assistive technology is told of an element.
type thing struct{ Role, Name, Description string }

func tree(p *opened) []thing {
	p.t.Helper()
	_, err := chromedp.Call(p, accessibility.Enable, cdp.Empty{})
	require.NoError(p.t, err)
	result, err := chromedp.Call(p, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	require.NoError(p.t, err)
	said := func(v *accessibility.Value) string {
		var s string
		if v != nil {
			_ = json.Unmarshal(v.Value, &s)
		}
		return s
	}
	var things []thing
	for _, n := range result.Nodes {
		if !n.Ignored {
			things = append(things, thing{said(n.Role), said(n.Name), said(n.Description)})
		}
	}
	return things
}

func named(things []thing, role string) []string {
	var names []string
	for _, t := range things {
		if t.Role == role {
			names = append(names, t.Name)
		}
	}
	return names
}

// TestTree is the same on a narrow screen, where rows are laid out as cards.
func TestTree(t *testing.T) {
	for name, v := range map[string]view{"wide": {}, "narrow": {width: 360}} {
		t.Run(name, func(t *testing.T) {
			p := openSample(t, v)
			things := tree(p)
			assert.Equal(t, []string{"duyetbot, morning of 4 March"}, named(things, "RootWebArea"))
			for _, role := range []string{"banner", "main", "contentinfo"} {
				assert.Len(t, named(things, role), 1, role)
			}
			assert.Equal(t, []string{"Contents"}, named(things, "navigation"))
			assert.Subset(
				t, named(things, "region"),
				[]string{"Overview", "Over time", "Breakdown", "Codes", "Groups", "Reactions", "Forecast",
					"Latest errors"})
			assert.Subset(
				t, named(things, "heading"),
				[]string{"duyetbot, morning of 4 March", "Groups", "Errors over time by category"})
			assert.Subset(
				t, named(things, "table"),
				[]string{"By category", "By source", "Codes", "Groups", "Reactions", "Forecast", "Latest errors"})
			assert.Subset(
				t, named(things, "columnheader"),
				[]string{"Severity", "Group", "Category", "Count", "First seen UTC", "Last seen UTC", "Code", "Share",
					"Latest UTC", "Recoveries", "Retries"})
			assert.Equal(t, []string{
				"Dark theme", "Severity", "Code", "Category", "Errors", "Share", "Latest UTC",
				"Severity", "Group", "Category", "Count", "First seen UTC", "Last seen UTC",
			}, named(things, "button"))
			assert.Subset(t, named(things, "rowheader"), []string{"LLM_RATE_LIMIT", "GITHUB_AUTH"})
			assert.Equal(t, []string{"Filter groups"}, named(things, "searchbox"))
			assert.Len(t, named(things, "status"), 1)
			for _, thing := range things {
				if named := map[string]bool{"button": true, "link": true, "table": true, "image": true,
					"columnheader": true, "searchbox": true}; named[thing.Role] {
					assert.NotEmpty(t, thing.Name, thing.Role)
				}
			}
		})
	}
}

// TestChartsInTheTree have a name, a description with what is to be seen, and no hundreds of parts.
func TestChartsInTheTree(t *testing.T) {
	var charts []thing
	for _, thing := range tree(openSample(t, view{})) {
		if thing.Role == "image" {
			charts = append(charts, thing)
		}
	}
	require.Len(t, charts, 2)
	for i, by := range []string{"category", "severity"} {
		assert.Contains(t, charts[i].Name, "Errors over time by "+by)
		assert.Contains(t, charts[i].Name+charts[i].Description, "The peak is")
	}
}

// TestHeadings has no level left out.
func TestHeadings(t *testing.T) {
	p := openSample(t, view{})
	last := 0
	for _, level := range eval[[]int](
		p, `[...document.querySelectorAll('h1, h2, h3, h4')].map(h => Number(h.localName[1]))`) {
		assert.LessOrEqual(t, level, last+1)
		last = level
	}
	assert.Equal(t, "en", eval[string](p, `document.documentElement.lang`))
	assert.Empty(
		t, eval[[]string](
			p, `[...document.querySelectorAll('time')].filter(e => !/Z$/.test(e.dateTime)).map(e => e.outerHTML)`))
}
