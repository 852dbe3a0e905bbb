package detect

import (
	"cmp"
	"iter"
	"slices"
)

// maxValues is how many values a condition may have for rules to be found by them.
const maxValues = 256

// key is a condition by whose values rules can be found.
type key struct {
	condition *Condition
	kind      uint32
	texts     []string
	numbers   []int
}

func (k *key) size() int { return len(k.texts) + len(k.numbers) }

// key returns the values by which rules with the condition can be found; none when it does not list
// them.
func (b *builder) key(c *Condition) key {
	k := key{condition: c, kind: uint32(c.Key)}
	switch {
	case c.Key == Source || c.Key == Is || c.Key == As:
	case c.Key == Status || c.Key == ExitCode:
		k.numbers = c.numbers()
	case c.onlyTexts() && len(c.Any) <= maxValues:
		k.texts = c.texts()
	}
	if c.Key == Attribute && k.size() > 0 {
		k.kind = b.attribute(c.Name)
	}
	return k
}

// attribute returns the kind of an attribute's values.
func (b *builder) attribute(name string) uint32 {
	kind, ok := b.kinds[name]
	if !ok {
		kind = uint32(Attribute) + uint32(len(b.kinds))
		b.kinds[name] = kind
	}
	return kind
}

// values are the values of a key under each of the draft's nodes.
func (d *draft) values(k *key) iter.Seq[value] {
	return func(yield func(value) bool) {
		for _, id := range d.nodes {
			s := scopeOf(id, k.kind)
			for _, text := range k.texts {
				if !yield(value{scope: s, text: text}) {
					return
				}
			}
			for _, n := range k.numbers {
				if !yield(value{scope: s, number: n}) {
					return
				}
			}
		}
	}
}

// onlyTexts reports whether a condition asks for one of some texts and nothing else.
func (c *Condition) onlyTexts() bool {
	return len(c.Any) > 0 && len(c.Not) == 0 && len(c.Prefix) == 0 && c.Bounds == 0 && c.Presence != Absent
}

// texts returns the texts that the condition asks for.
func (c *Condition) texts() []string {
	out := make([]string, 0, len(c.Any))
	for _, s := range c.Any {
		if s != "" {
			out = append(out, canonicalValue(c.Key, s))
		}
	}
	return distinct(out)
}

// numbers returns all numbers that meet the condition, or nil when they are too many or too large
// to list.
func (c *Condition) numbers() []int {
	if c.Presence == Absent || len(c.AnyNumber) > maxValues {
		return nil
	}
	var out []int
	for _, n := range c.candidates() {
		switch {
		case !c.numberMeets(n):
		case c.Key == Status && (n < 0 || n > maxStatus):
			return nil
		case c.Key != Status || n != 0:
			out = append(out, n)
		}
	}
	return distinct(out)
}

// candidates returns numbers among which are all that meet the condition, or nil when they are too
// many to list.
func (c *Condition) candidates() []int {
	const farthest = 1 << 30
	if len(c.AnyNumber) > 0 {
		return c.AnyNumber
	}
	if c.Bounds != HasMin|HasMax || c.Min < -farthest || c.Max > farthest || !(c.Max-c.Min < maxValues) {
		return nil
	}
	var out []int
	for n := int(c.Min) - 1; float64(n) <= c.Max; n++ {
		out = append(out, n)
	}
	return out
}

func distinct[T cmp.Ordered](list []T) []T {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
