package emit

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
)

// detectionData is a taxonomy with its rules as they are matched.
type detectionData struct {
	m       *model.Package
	matched *detect.Rules
	ranked  []*model.Rule // in the order of matched
}

func detectionOf(m *model.Package) detectionData {
	return detectionData{m: m, matched: detection.Rules(m), ranked: detection.Ranked(m)}
}

// rules makes the variable that holds the rules: one line for each, with its rank.
func (d detectionData) rules() jen.Code {
	var c composite
	c.address("Taxonomy", "definition")
	c.detectList("Rules", "Rule", numbered(d.matched.Rules, ruleText))
	c.detectList("Patterns", "Pattern", numbered(d.matched.Patterns, patternText))
	if len(d.matched.Leads) > 0 {
		c.add("Leads", words(d.matched.Leads))
	}
	c.detectList("Needs", "Need", sourceOf(d.matched.Needs, needText))
	if len(d.matched.FallbackSet) > 0 {
		c.add("FallbackSet", words(d.matched.FallbackSet))
	}
	if len(d.matched.Sensitive) > 0 {
		c.add("Sensitive", words(d.matched.Sensitive))
	}
	c.code("Make", "makeError")
	if d.namesErrors() {
		c.code("Is", "ruleIs")
	}
	return jen.Add(comment(d.rulesDoc()...)).
		Var().Id("detection").Op("=").Qual(pkgDetect, "Rules").Add(multiLine(c))
}

// rulesDoc says what the numbers in the rules are, where there are any.
func (d detectionData) rulesDoc() []string {
	if len(d.matched.Rules) == 0 {
		return []string{"detection holds what becomes of evidence; there are no detect rules."}
	}
	doc := []string{
		"detection holds the detect rules, best first; makeError knows each by its number here.",
		"Code is the index of the code in definition.Codes. Derived is the rule's rank where the status was read " +
			"out of the text.",
	}
	if len(d.matched.Patterns) > 0 {
		doc[1] += " Text and Contains are indexes of Patterns, whose Reach is how many bytes a match can have; " +
			"without one there is no bound."
	}
	return doc
}

// detectList adds a slice of one of the detecting runtime's types, an element a line.
func (c *composite) detectList(name, typ string, elements []jen.Code) {
	c.list(name, jen.Qual(pkgDetect, typ), elements)
}

// sourceOf returns the text of each element as one token.
func sourceOf[T any](list []T, text func(T) string) []jen.Code {
	return each(list, func(item T) jen.Code { return jen.Op(text(item)) })
}

// numbered writes each element behind its index, by which the rest of the file knows it.
func numbered[T any](list []T, text func(T) string) []jen.Code {
	out := make([]jen.Code, len(list))
	for i, item := range list {
		out[i] = jen.Op(strconv.Itoa(i) + ": " + text(item))
	}
	return out
}

// ruleText is a rule as source, as are the parts of one below: a taxonomy can have thousands.
func ruleText(r detect.Rule) string {
	var s structText
	s.add("Name", strconv.Quote(r.Name))
	s.text("Doc", r.Doc)
	s.list("Conditions", "[]detect.Condition", eachText(r.Conditions, conditionText))
	s.list("Text", "[]uint16", eachText(r.Text, decimal))
	s.list("Contains", "[]uint16", eachText(r.Contains, decimal))
	s.list("Set", "[]string", eachText(r.Set, quote))
	s.add("Code", decimal(r.Code))
	s.add("Derived", decimal(r.Derived))
	return s.String()
}

func decimal(n uint16) string { return strconv.Itoa(int(n)) }

func conditionText(c detect.Condition) string {
	var s structText
	s.add("Key", "detect."+keyNames[c.Key])
	s.text("Name", c.Name)
	if c.Presence != detect.AnyPresence {
		s.add("Presence", "detect."+presenceNames[c.Presence])
	}
	s.list("Any", "[]string", eachText(c.Any, quote))
	s.list("Not", "[]string", eachText(c.Not, quote))
	s.list("Prefix", "[]string", eachText(c.Prefix, quote))
	s.list("AnyNumber", "[]int", eachText(c.AnyNumber, strconv.Itoa))
	s.list("NotNumber", "[]int", eachText(c.NotNumber, strconv.Itoa))
	var bounds []string
	if c.Bounds&detect.HasMin != 0 {
		s.add("Min", bound(c.Min))
		bounds = append(bounds, "detect.HasMin")
	}
	if c.Bounds&detect.HasMax != 0 {
		s.add("Max", bound(c.Max))
		bounds = append(bounds, "detect.HasMax")
	}
	if len(bounds) > 0 {
		s.add("Bounds", strings.Join(bounds, " | "))
	}
	return s.String()
}

func bound(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func patternText(p detect.Pattern) string {
	var s structText
	s.text("Expr", p.Expr)
	s.text("Plain", p.Plain)
	s.list("Literals", "[]detect.Literal", eachText(p.Literals, literalText))
	if p.Reach != 0 {
		s.add("Reach", strconv.Itoa(p.Reach))
	}
	if p.Lead != 0 {
		s.add("Lead", decimal(uint16(p.Lead)))
	}
	return s.String()
}

func literalText(l detect.Literal) string {
	var s structText
	s.text("Text", l.Text)
	if l.Fold {
		s.add("Fold", "true")
	}
	return s.String()
}

func needText(n detect.Need) string {
	var s structText
	s.add("Code", decimal(n.Code))
	s.text("Field", n.Field)
	s.list("From", "[]string", eachText(n.From, quote))
	s.text("Type", n.Type)
	s.list("Words", "[]string", eachText(n.Words, quote))
	return s.String()
}

// structText collects the elements of a struct literal in one line, as source.
type structText []string

func (s *structText) add(name, value string) { *s = append(*s, name+": "+value) }

func (s *structText) text(name, text string) {
	if text != "" {
		s.add(name, quote(text))
	}
}

func (s *structText) list(name, typ string, elements []string) {
	if len(elements) > 0 {
		s.add(name, typ+"{"+strings.Join(elements, ", ")+"}")
	}
}

func (s *structText) String() string { return "{" + strings.Join(*s, ", ") + "}" }
