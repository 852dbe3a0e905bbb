package browser

import (
	_ "embed"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

//go:embed contrast.js
var contrast string

// opensAll shows what is closed.
const opensAll = `document.querySelectorAll('details').forEach(d => { d.open = true })`

// TestContrast computes WCAG's contrast of every text in both themes, and of every colour of the
// charts on what it stands on.
func TestContrast(t *testing.T) {
	for _, dark := range []bool{false, true} {
		for _, width := range []int64{1280, 360} {
			t.Run(fmt.Sprintf("dark=%v/%d", dark, width), func(t *testing.T) {
				p := openSample(t, view{dark: dark, width: width})
				eval[any](p, opensAll)
				assert.Greater(t, eval[int](p, contrast+`.texts`), 200)
				assert.Empty(t, eval[[]string](p, contrast+`.low`))
			})
		}
	}
}

// beyondTheEdge are the elements that do not fit, except in what may be scrolled, and what is not
// seen.
const beyondTheEdge = `[...document.querySelectorAll('main *, header *')]
	.filter(e => e.checkVisibility() && !e.closest('.scroll table, .unseen, thead, pre bdi') && !(e instanceof SVGElement))
	.filter(e => e.getBoundingClientRect().right > innerWidth + 1)
	.map(e => e.outerHTML.slice(0, 120))`

func TestNoOverflow(t *testing.T) {
	for _, width := range []int64{320, 360, 414, 600, 768, 800, 1024, 1280, 1920} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			p := openSample(t, view{width: width})
			eval[any](p, opensAll)
			assert.LessOrEqual(t, eval[int64](p, `document.documentElement.scrollWidth`), width)
			assert.Empty(t, eval[[]string](p, beyondTheEdge), "nothing is cut off at the side")
			assert.Empty(t, eval[[]string](p, `[...document.querySelectorAll('svg.tick:not(.minor) text')]
				.filter(e => { const b = e.getBoundingClientRect(); return b.right > innerWidth || b.left < 0; })
				.map(e => e.textContent)`))
		})
	}
}

// TestLabelsDoNotMeet has room between the labels of the time.
func TestLabelsDoNotMeet(t *testing.T) {
	for _, width := range []int64{360, 1280} {
		p := openSample(t, view{width: width})
		assert.Empty(t, eval[[]string](p, `[...document.querySelectorAll('svg.bars')].flatMap(svg => {
			const all = [...svg.querySelectorAll('.tick text:not(.day)')].filter(e => e.checkVisibility());
			return all.filter((e, i) => i > 0 && all[i - 1].getBoundingClientRect().right + 4 > e.getBoundingClientRect().left).map(e => e.textContent);
		})`), "at %d", width)
	}
}

// TestTargetsAreLargeEnough follows WCAG's 24 pixels for what is pressed.
func TestTargetsAreLargeEnough(t *testing.T) {
	p := openSample(t, view{width: 360})
	assert.Empty(t, eval[[]string](p, `[...document.querySelectorAll('button, input, summary, nav a')]
		.filter(e => e.checkVisibility())
		.filter(e => e.getBoundingClientRect().height < 24)
		.map(e => e.outerHTML.slice(0, 120) + ' ' + e.getBoundingClientRect().height)`))
}

func TestReducedMotion(t *testing.T) {
	p := openSample(t, view{})
	assert.Equal(t, "smooth", eval[string](p, `getComputedStyle(document.documentElement).scrollBehavior`))
	p.prefer("prefers-reduced-motion", "reduce")
	assert.Equal(t, "auto", eval[string](p, `getComputedStyle(document.documentElement).scrollBehavior`))
	assert.Equal(
		t, "none",
		eval[string](
			p, `getComputedStyle(document.querySelector('#group-table summary'), '::before').transitionProperty`))
}

// TestPrint is light on paper, also where the theme is dark, and has no controls.
func TestPrint(t *testing.T) {
	p := openSample(t, view{dark: true, print: true, width: 800})
	assert.Equal(t, "rgb(255, 255, 255)", eval[string](p, `getComputedStyle(document.body).backgroundColor`))
	assert.Empty(
		t, eval[[]string](
			p, `[...document.querySelectorAll('nav, .tools, #theme')].filter(e => e.checkVisibility()).map(e => `+
				`e.outerHTML.slice(0, 80))`))
}
