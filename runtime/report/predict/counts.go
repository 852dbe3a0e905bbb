package predict

import "slices"

// negligible is the weight below which an outcome is forgotten.
const negligible = 1e-6

// counts are the weights of outcomes, by code; the code of a success is empty. The later an outcome
// was, the more it weighs.
type counts struct {
	cells []cell
	// total is the sum of the weights: as many calls the counts rest on.
	total float64
}

type cell struct {
	code   string
	weight float64
	seen   int
}

// add counts an outcome, after all that were counted before have become less by the factor.
func (c *counts) add(code string, factor float64, most int) {
	c.fade(factor)
	i := c.find(code)
	if i < 0 {
		if len(c.cells) >= most {
			c.dropLightest()
		}
		i = len(c.cells)
		c.cells = append(c.cells, cell{code: code})
	}
	c.cells[i].weight++
	c.cells[i].seen++
	c.sum()
}

// sum adds the weights up, always in the same order, so that counts which are read back are the
// same to the last bit.
func (c *counts) sum() {
	c.total = 0
	for i := range c.cells {
		c.total += c.cells[i].weight
	}
}

// fade lets all weights fall by the factor, and forgets what little is left.
func (c *counts) fade(factor float64) {
	kept := c.cells[:0]
	for _, cell := range c.cells {
		if cell.weight *= factor; cell.weight >= negligible {
			kept = append(kept, cell)
		}
	}
	clear(c.cells[len(kept):])
	c.cells = kept
}

// dropLightest forgets the outcome that weighs least; of equals, the one whose code is last.
func (c *counts) dropLightest() {
	at := 0
	for i, cell := range c.cells {
		least := c.cells[at]
		if cell.weight < least.weight || cell.weight == least.weight && cell.code > least.code {
			at = i
		}
	}
	c.cells = slices.Delete(c.cells, at, at+1)
}

func (c *counts) find(code string) int {
	for i := range c.cells {
		if c.cells[i].code == code {
			return i
		}
	}
	return -1
}

func (c *counts) weight(code string) float64 {
	if i := c.find(code); i >= 0 {
		return c.cells[i].weight
	}
	return 0
}

func (c *counts) seen(code string) int {
	if i := c.find(code); i >= 0 {
		return c.cells[i].seen
	}
	return 0
}

// share is how often the code is among the counts, smoothed towards what a broader view says of it.
func (c *counts) share(code string, broader float64) float64 {
	return (c.weight(code) + prior*broader) / (c.total + prior)
}

// lent is how many calls a broader view that rests on n of them stands for in a narrower one.
func lent(n float64) float64 { return prior * n / (n + prior) }
