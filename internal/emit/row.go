package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// rowMethod returns the method that selects an error's row.
func rowMethod(c *model.Category) string {
	head := "func (e *" + c.Type + ") Row() taxonomy.Row "
	var cases strings.Builder
	internal := false
	for _, code := range c.Codes {
		if hasBranches(code) && code.ErrorType() == c {
			fmt.Fprintf(&cases, "case %s:\n%s", code.Const, rowChoice(code))
			internal = internal || selectsInternally(code)
		}
	}
	if cases.Len() == 0 {
		return head + "{ return e.Code().Row() }"
	}
	if internal {
		head += "{ return gen.Sent(&e.base, e.row()) }\n\nfunc (e *" + c.Type + ") row() taxonomy.Row "
	}
	return head + "{\nswitch e.Code() {\n" + cases.String() + "}\nreturn e.Code().Row()\n}"
}

// hasBranches reports whether a branch of the code selects a row other than the row of the code.
func hasBranches(c *model.Code) bool {
	return slices.ContainsFunc(c.When, func(b *model.Branch) bool { return b.Row != c.Row })
}

// selectsInternally reports whether clients cannot select the branch of a public code.
func selectsInternally(c *model.Code) bool {
	return c.Public && slices.ContainsFunc(c.When, func(b *model.Branch) bool {
		return slices.ContainsFunc(b.Conds, func(cond model.Cond) bool { return !cond.Field.Public })
	})
}

// rowChoice returns the statements that select one of a code's branches. If no branch matches, they
// do not return.
func rowChoice(c *model.Code) string {
	t := branchTests{valued: map[*model.Field]bool{}}
	for _, b := range c.When {
		for _, cond := range b.Conds {
			t.add(cond)
		}
	}
	row := func(b *model.Branch) string {
		return fmt.Sprintf("return %s.Row().When(%d)\n", c.Const, b.Row.At.Branch())
	}
	text, init := "", ""
	for _, f := range t.fields {
		value, present := t.names(f)
		if !t.valued[f] {
			value = "_"
		}
		text += fmt.Sprintf("%s, %s := e.%s.Get()\n", value, present, f.Go)
	}
	if len(t.fields) == 1 {
		text, init = "", strings.TrimSpace(text)+"; "
	}
	if len(c.When) == 1 {
		return text + "if " + init + t.all(c.When[0].Conds) + " {\n" + row(c.When[0]) + "}\n"
	}
	text += "switch " + init + "{\n"
	for _, b := range c.When {
		if text += "case " + t.all(b.Conds) + ":"; b.Row == c.Row {
			text += " // as the code itself\n"
		} else {
			text += "\n" + row(b)
		}
	}
	return text + "}\n"
}

// branchTests makes the tests of a code's branches.
type branchTests struct {
	fields []*model.Field        // the optional ones that branches test
	valued map[*model.Field]bool // whether more than the presence is tested
}

func (t *branchTests) add(c model.Cond) {
	if !c.Field.Optional() {
		return
	}
	if !slices.Contains(t.fields, c.Field) {
		t.fields = append(t.fields, c.Field)
	}
	t.valued[c.Field] = t.valued[c.Field] || testsValue(c)
}

// testsValue reports whether a condition tests more than the presence of a value.
func testsValue(c model.Cond) bool {
	return len(c.Values) > 0 || c.Min != nil || c.Max != nil || len(c.Not) > 0 || len(c.Prefix) > 0
}

// names returns the variables for an optional field: v and ok, followed by a number if there are
// several such fields.
func (t *branchTests) names(f *model.Field) (value, present string) {
	if len(t.fields) == 1 {
		return "v", "ok"
	}
	i := slices.Index(t.fields, f) + 1
	return fmt.Sprintf("v%d", i), fmt.Sprintf("ok%d", i)
}

// all joins conditions that must all hold.
func (t *branchTests) all(conds []model.Cond) string {
	var terms []string
	for _, c := range conds {
		terms = append(terms, t.terms(c)...)
	}
	if len(terms) == 1 {
		if group, ok := strings.CutPrefix(terms[0], "("); ok {
			return strings.TrimSuffix(group, ")")
		}
	}
	return strings.Join(terms, " && ")
}

// terms returns the tests of one field. All of them must hold. An absent field matches
// `present: false` only.
func (t *branchTests) terms(c model.Cond) []string {
	f, value := c.Field, "e."+c.Field.Go
	present, absent := "", "false"
	switch {
	case f.Optional():
		value, present = t.names(f)
		absent = "!" + present
	case f.Type == model.EnumType:
		present, absent = value+" != 0", value+" == 0"
	case !f.Required:
		present, absent = value+" != nil", value+" == nil"
	}
	if !testsValue(c) && c.Present != nil && !*c.Present {
		return []string{absent}
	}
	var terms []string
	if present != "" && (f.Optional() || f.Type != model.EnumType || len(c.Values) == 0) {
		terms = append(terms, present)
	}
	if len(c.Values) > 0 {
		terms = append(terms, anyOf(c.Values, func(v model.Value) string { return compare(f, value, "==", v) }))
	}
	if c.Min != nil {
		terms = append(terms, compare(f, value, ">=", *c.Min))
	}
	if c.Max != nil {
		terms = append(terms, compare(f, value, "<=", *c.Max))
	}
	for _, v := range c.Not {
		terms = append(terms, compare(f, value, "!=", v))
	}
	if len(c.Prefix) > 0 {
		text := value
		if f.Type == model.EnumType {
			text += ".String()"
		}
		terms = append(terms, anyOf(c.Prefix, func(p string) string {
			return "strings.HasPrefix(" + text + ", " + quote(p) + ")"
		}))
	}
	if len(terms) == 0 {
		return []string{"true"}
	}
	return terms
}

// anyOf joins the tests of each item.
func anyOf[T any](items []T, test func(T) string) string {
	if len(items) == 1 {
		return test(items[0])
	}
	return "(" + strings.Join(eachText(items, test), " || ") + ")"
}

// compare returns the comparison of a value with a constant. Conditions test lists, JSON and
// objects for presence only.
func compare(f *model.Field, value, op string, v model.Value) string {
	switch f.Type {
	case model.Bool:
		if v.Bool == (op == "==") {
			return value
		}
		return "!" + value
	case model.Time:
		test := map[string]string{"==": "Equal", "!=": "Equal", ">=": "Before", "<=": "After"}[op]
		if op != "==" {
			value = "!" + value
		}
		return value + "." + test + "(" + instant(v.Time) + ")"
	case model.EnumType:
		return value + " " + op + " " + constant(f, v)
	}
	if op == ">=" { // as a range is written: 400 <= v && v <= 499
		return constant(f, v) + " <= " + value
	}
	return value + " " + op + " " + constant(f, v)
}

// hintsMethod returns the method that returns the fields that the runtime reads. If the category
// has none, it returns "".
func hintsMethod(c *model.Category) string {
	values := hints(c)
	if values == nil {
		return ""
	}
	return "func (e *" + c.Type + ") Hints() taxonomy.Hints {\nreturn taxonomy.Hints{" +
		strings.Join(values, ", ") + "}\n}"
}

// hintRoles are the roles of fields that become hints.
var hintRoles = []struct {
	role model.Role
	hint string
	typ  model.Type
	none string // the value of an absent field; "" if the hint itself may be absent
	set  func(*taxonomy.Hints, model.Value)
}{
	{model.RoleRetryAfter, "RetryAfter", model.Duration, "",
		func(h *taxonomy.Hints, v model.Value) { h.RetryAfter = taxonomy.Some(v.Duration) }},
	{model.RoleResetAt, "ResetAt", model.Time, "",
		func(h *taxonomy.Hints, v model.Value) { h.ResetAt = taxonomy.Some(v.Time) }},
	{model.RoleFiles, "Files", model.Strings, "nil",
		func(h *taxonomy.Hints, v model.Value) { h.Files = v.Strings }},
	{model.RoleCredential, "Credential", model.String, `""`,
		func(h *taxonomy.Hints, v model.Value) { h.Credential = v.Str }},
	{model.RoleOutput, "Output", model.String, `""`,
		func(h *taxonomy.Hints, v model.Value) { h.Output = v.Str }},
}

// hints returns the hints that the fields of a category hold.
func hints(c *model.Category) []string {
	var hints []string
	for _, r := range hintRoles {
		f := c.WithRole(r.role)
		if f == nil || f.Type != r.typ {
			continue
		}
		value, isOpt := "e."+f.Go, f.Optional()
		if f.Sensitive {
			value, isOpt = "gen.Revealed("+value+")", true
		}
		switch {
		case isOpt && r.none != "":
			value += ".Or(" + r.none + ")"
		case !isOpt && r.none == "":
			value = "taxonomy.Some(" + value + ")"
		}
		hints = append(hints, r.hint+": "+value)
	}
	return hints
}
