package prefilter

// concat puts together what is known of expressions that follow each other. The zero concat is of
// none.
type concat struct {
	started bool
	broken  bool // something in it is not exact
	first   set  // once broken: what matches begin with
	// What matches end with as far as is certain: with all combinations of small sets, and where
	// each part is one text only. The latter is often as telling, and one literal in place of many.
	wide, narrow set
	best         set
}

// add puts k behind what is there.
func (c *concat) add(k known) {
	if !c.started {
		c.started, c.wide, c.narrow = true, empty, empty
	}
	c.best = better(c.best, k.best)
	c.addWide(k)
	c.addNarrow(k)
}

func (c *concat) addWide(k known) {
	joined, ok := cross(c.wide, k.first)
	if ok && k.exact {
		c.wide = joined
		return
	}
	if !ok {
		joined = c.wide
	}
	c.best = better(c.best, joined)
	if !c.broken {
		c.broken, c.first = true, joined
	}
	c.wide = k.last
}

func (c *concat) addNarrow(k known) {
	joined, ok := cross(c.narrow, single(k.first))
	if ok && k.exact && len(k.first) == 1 {
		c.narrow = joined
		return
	}
	if !ok {
		joined = c.narrow
	}
	c.best = better(c.best, joined)
	c.narrow = single(k.last)
}

// single returns s if it is one text, and otherwise that nothing is certain.
func single(s set) set {
	if len(s) == 1 {
		return s
	}
	return empty
}

func (c *concat) known() known {
	if !c.started {
		return exactly(empty)
	}
	k := known{exact: !c.broken, first: c.first, last: c.wide, best: better(better(c.best, c.wide), c.narrow)}
	if k.exact {
		k.first = c.wide
	}
	return k
}
