package taxonomy

import "github.com/errgen/errgen/runtime/internal/fields"

// Violation describes an invalid part of a request. It is an item of a field of type violations.
type Violation struct {
	Field       string `json:"field"`       // path of the part, such as items[0].count
	Description string `json:"description"` // reason why it is invalid
	Code        string `json:"code"`        // kind of the violation, for programs; may be empty
}

// ViolationsOf returns the violations of the first error of any taxonomy in err's tree, including
// those that clients must not see. Do not change them.
func ViolationsOf(err error) []Violation {
	c, _ := First(err, nil)
	return violations(c, false)
}

// Violations returns the violations that clients may see. Do not change them.
func (v PublicView) Violations() []Violation { return violations(v.c, true) }

func violations(c Coded, public bool) []Violation {
	e, ok := c.(Error)
	if !ok {
		return nil
	}
	described := e.Taxonomy().Fields(e.Row())
	if _, unknown := c.(*Unknown); unknown || len(described) == 0 {
		return nil
	}
	for i, p := range fields.Pointers(e) {
		if list, ok := p.(*[]Violation); ok && i < len(described) && (described[i].Public || !public) {
			return *list
		}
	}
	return nil
}
