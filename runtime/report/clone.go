package report

import "bytes"

// Clone returns a copy that shares nothing with o. What is deeper in it than an occurrence that
// [New] makes is left out.
func (o *Occurrence) Clone() *Occurrence {
	var first *Occurrence
	next := &first
	for range maxCauses + 1 {
		if o == nil {
			break
		}
		c := o.cloneTyped()
		c.Metadata = cloneMetadata(o.Metadata, maxNested)
		*next, next = c, &c.Cause
		o = o.Cause
	}
	return first
}

// cloneTyped returns a copy that shares nothing with o but the values of its metadata, without its
// cause.
func (o *Occurrence) cloneTyped() *Occurrence {
	c := *o
	c.Cause = nil
	c.Source, c.Execution, c.Repository = copied(o.Source), copied(o.Execution), copied(o.Repository)
	if c.Recovery = copied(o.Recovery); c.Recovery != nil {
		c.Recovery.Successful = copied(o.Recovery.Successful)
	}
	c.Context = bytes.Clone(o.Context)
	return &c
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
