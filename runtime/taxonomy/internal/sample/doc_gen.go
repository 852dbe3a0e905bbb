// Package sample is what errgen makes of a small taxonomy, written by hand: the tests and benchmarks of the
// runtime work on it.
package sample

import (
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// The runtime must be as new as this file. If this does not compile: `go get github.com/errgen/errgen@latest`,
// or, when the runtime no longer supports this file, generate again.
const (
	_ = gen.EnforceVersion(gen.Version - 1)
	_ = gen.EnforceVersion(1 - gen.MinVersion)
)

// Category is a category of the taxonomy.
type Category string

// The categories.
const (
	CategoryProvider Category = "provider"
	CategoryWork     Category = "work"
	CategoryKinds    Category = "kinds"
)

const (
	categoryProvider = iota
	categoryWork
	categoryKinds
)

// Categories returns all categories, in the order of the taxonomy.
func Categories() []Category {
	return []Category{CategoryProvider, CategoryWork, CategoryKinds}
}

// CategoryOf returns the category of the first error of this taxonomy in err's tree, or "".
func CategoryOf(err error) Category { return Category(gen.CategoryOf(err, &definition)) }

// The profiles.
const (
	ProfileStrict = "strict"
	ProfileChains = "chains"
)

// IsProvider reports whether err is or wraps a [ProviderError].
func IsProvider(err error) bool { return gen.InCategory(err, &definition, categoryProvider) }

// IsWork reports whether err is or wraps a [WorkError].
func IsWork(err error) bool { return gen.InCategory(err, &definition, categoryWork) }

// IsKinds reports whether err is or wraps a [KindsError].
func IsKinds(err error) bool { return gen.InCategory(err, &definition, categoryKinds) }

// InNetwork reports whether err is or wraps an error of the group network: needs the network.
func InNetwork(err error) bool { return gen.InGroup(err, &definition, 0) }

// Run says which run an error belongs to.
type Run struct {
	Mode string               `json:"mode"`
	Step taxonomy.Opt[string] `json:"step,omitzero"`
}

func (v *Run) appendTo(o gen.ObjectBuilder) gen.ObjectBuilder {
	return o.String("mode", v.Mode).OptString("step", v.Step)
}

func (v *Run) logTo(l gen.LogBuilder) gen.LogBuilder {
	return l.String("mode", v.Mode).OptString("step", v.Step)
}

func (v *Run) decodeField(d *gen.Decoder) {
	switch string(d.Key()) {
	case "mode":
		d.String(&v.Mode)
	case "step":
		d.OptString(&v.Step)
	default:
		d.Skip()
	}
}
