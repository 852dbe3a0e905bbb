package taxonomy

import "slices"

// resumption is what comes back when the overrides switch on what the table's profile has off. A
// profile holds its reactions with what is off left out, so they are put together again: as the
// profile words them, followed by what the taxonomy lets follow.
type resumption struct {
	// versions are the profile's versions of the table's own reactions.
	versions map[*Reaction]*Reaction
	memo     map[*Reaction]*Reaction
	needed   bool
}

// resume finds out what comes back.
func (v *overlay) resume() {
	v.resumed.needed = v.table.Overlay != nil && v.switchedOn()
	if !v.resumed.needed {
		return
	}
	v.resumed.versions, v.resumed.memo = make(map[*Reaction]*Reaction), make(map[*Reaction]*Reaction)
	for i := range v.table.Taxonomy.Rows {
		traits := v.table.row(Row(i))
		v.pair(v.profileHead(v.table.Taxonomy.Rows[i].Reaction, traits.Retryable), traits.Reaction)
	}
	v.pair(v.table.Taxonomy.Uncategorized, v.table.uncategorized())
	for name, r := range v.reactions.named {
		if own := v.declaredReaction(name); own != nil && own != r {
			v.pair(own, r)
		}
	}
	for name, r := range v.reactions.named {
		if own := v.declaredReaction(name); own != nil && (own == r || v.resumed.versions[own] != nil) {
			v.reactions.named[name] = v.whole(own)
		}
	}
}

// switchedOn reports whether anything that the profile goes past is gone past no more.
func (v *overlay) switchedOn() bool {
	if v.now.Retry.Enabled && !v.base.Retry.Enabled {
		return true
	}
	if !v.now.Recovery.Runs() {
		return false
	}
	return !v.base.Recovery.Runs() || !within(v.now.Recovery.Allowed, v.base.Recovery.Allowed)
}

// within reports whether all that one list allows the other allows; nil allows all.
func within(list, of []string) bool {
	if of == nil || list == nil {
		return of == nil
	}
	return !slices.ContainsFunc(list, func(name string) bool { return !slices.Contains(of, name) })
}

func (v *overlay) declaredReaction(name string) *Reaction {
	for _, r := range v.table.Taxonomy.Reactions {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// begins returns what a row begins with under the overrides: its reaction in the profile, with all
// that the profile has left out and the overrides switch on, as far as the profile has changed
// nothing else there.
func (v *overlay) begins(own, profiled *Reaction, retryable bool) *Reaction {
	if !v.resumed.needed || own == profiled || !v.aligned(v.profileHead(own, retryable), profiled) {
		return profiled
	}
	return v.whole(own)
}

// profileHead returns the first reaction from r on that the profile does not go past, for a row
// that may be retried or not: one that may not is led past retries, too.
func (v *overlay) profileHead(r *Reaction, retryable bool) *Reaction {
	r = v.on(r)
	for steps := 0; r != nil && !retryable && retries(r) && r.Then != nil && steps < maxChain; steps++ {
		r = v.on(r.Then)
	}
	return r
}

// aligned reports whether one chain is the other without what the profile goes past.
func (v *overlay) aligned(own, profiled *Reaction) bool {
	for steps := 0; steps < maxChain; steps++ {
		own = v.on(own)
		switch {
		case own == nil || profiled == nil:
			return own == profiled
		case own == profiled:
			return true
		case own.Name != profiled.Name:
			return false
		}
		own, profiled = own.Then, profiled.Then
	}
	return false
}

// maxChain ends following a chain that was made by hand and leads in a circle.
const maxChain = 1000

// on returns the first reaction from r on that the profile does not go past.
func (v *overlay) on(r *Reaction) *Reaction {
	for steps := 0; r != nil && r.Then != nil && v.base.off(r) && steps < maxChain; steps++ {
		r = r.Then
	}
	return r
}

// pair notes which of the profile's reactions are versions of which of the table's own.
func (v *overlay) pair(own, profiled *Reaction) {
	if own == profiled || !v.aligned(own, profiled) {
		return
	}
	for own = v.on(own); own != profiled; own, profiled = v.on(own.Then), profiled.Then {
		if v.resumed.versions[own] == nil {
			v.resumed.versions[own] = profiled
		}
	}
}

// whole returns one of the table's own reactions as the profile words it, followed by all that the
// taxonomy lets follow.
func (v *overlay) whole(own *Reaction) *Reaction {
	if own == nil {
		return nil
	}
	if r, known := v.resumed.memo[own]; known {
		return r
	}
	v.resumed.memo[own] = own // ends a circle
	base := own
	if version := v.resumed.versions[own]; version != nil {
		base = version
	}
	r := *base
	r.Then = v.whole(own.Then)
	if p := r.Policy; base == own && p != nil && v.policies.declared[p] {
		r.Policy = v.policies.named[p.Name]
	}
	v.resumed.memo[own] = &r
	if r == *base {
		v.resumed.memo[own] = base
	}
	if r == *own {
		v.resumed.memo[own] = own
	}
	return v.resumed.memo[own]
}
