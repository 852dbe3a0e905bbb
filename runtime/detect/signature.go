package detect

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Signature describes how a kind of failure shows itself. Rules that name it share its data.
type Signature struct {
	Name string
	// Over are the names of less specific signatures. Among rules of the same priority, those of
	// this signature come before theirs.
	Over []string
	// Effect is whether a call that fails this way did its work.
	Effect taxonomy.Effect
	// Any are the forms of the failure. Evidence that meets one of them matches the signature.
	Any []Form
	// Extract are the attributes that the text of the failure fills.
	Extract []Extract

	once  sync.Once
	exprs [][]*regexp.Regexp // of Extract
}

// Form is one form in which a failure shows itself. All of its conditions must hold. If it has Text
// patterns, the text must contain one of them; likewise for Contains patterns.
type Form struct {
	Conditions     []Condition
	Text, Contains Patterns
	// Weak forms come after those of all other signatures and after rules on text.
	Weak bool
}

// Patterns are patterns in a compact form, because signatures have many of them. Two tabs separate
// patterns. A pattern is "LEAD EXPR", followed by its literals. Each literal follows a tab and "=",
// or "~" if it folds. In expressions, (?1) is a reference to the first of [Detection.Leads], and so
// on. The generator packs them.
type Patterns string

const patternSeparator = "\t\t"

// resolve returns an expression with its references replaced by leads. A lead may contain
// references to later leads.
func resolve(expr string, leads []string) string {
	for i, lead := range leads {
		expr = strings.ReplaceAll(expr, "(?"+strconv.Itoa(i+1)+")", lead)
	}
	return expr
}

// unpack returns the patterns.
func (p Patterns) unpack(leads []string) []Pattern {
	if p == "" {
		return nil
	}
	var out []Pattern
	for text := range strings.SplitSeq(string(p), patternSeparator) {
		line, rest, _ := strings.Cut(text, "\t")
		lead, expr, _ := strings.Cut(line, " ")
		n, _ := strconv.ParseUint(lead, 10, 8) // the generator has written them
		pattern := Pattern{Expr: resolve(expr, leads), Lead: uint8(n)}
		for rest != "" {
			var l string
			l, rest, _ = strings.Cut(rest, "\t")
			pattern.Literals = append(pattern.Literals, Literal{Text: l[1:], Fold: l[0] == '~'})
		}
		out = append(out, pattern)
	}
	return out
}

// Extract fills an attribute with the first group of the first expression that matches the text.
// The attribute "wait" becomes a duration in the form of the wire, such as "1m30s".
type Extract struct {
	Attribute string
	Text      []string
}

// extract sets the attributes that the text of the failure contains, unless they are set. It
// returns ev if nothing changes, or else room as a changed copy.
func (s *Signature) extract(ev, room *taxonomy.Evidence, searched string) *taxonomy.Evidence {
	if s == nil || len(s.Extract) == 0 || searched == "" {
		return ev
	}
	s.once.Do(func() {
		for _, x := range s.Extract {
			var exprs []*regexp.Regexp
			for _, expr := range x.Text {
				if re, err := regexp.Compile(expr); err == nil { // the generator has checked it
					exprs = append(exprs, re)
				}
			}
			s.exprs = append(s.exprs, exprs)
		}
	})
	for i := range s.Extract {
		name := s.Extract[i].Attribute
		if _, ok := ev.Attributes[name]; ok {
			continue
		}
		value := firstGroup(s.exprs[i], searched)
		if name == "wait" {
			if d, ok := parseWait(value, time.Second); ok {
				value = d.String()
			}
		}
		if value == "" {
			continue
		}
		ev = copyTo(ev, room)
		b := builder{ev: ev}
		b.attribute(name, value)
	}
	return ev
}

// observe returns ev, or room as a copy with the effect of the rule's signature. The effect counts
// only for evidence of one call that its caller observed. A text, a response or a process can report
// the failure of another call. The effect of a Go error was observed when its evidence was collected.
func (r *Rule) observe(ev, room *taxonomy.Evidence) *taxonomy.Evidence {
	if !r.hasEffect() || ev.Effect != taxonomy.EffectUnspecified || ev.Status != 0 || !ev.ExitCode.IsZero() ||
		ev.Signal != "" || ev.CodeDerived || !isOneCall(ev.Err) {
		return ev
	}
	ev = copyTo(ev, room)
	ev.Effect = r.Like.Effect
	return ev
}

// isOneCall reports whether the error of evidence is nil, or other evidence without an error.
func isOneCall(err error) bool {
	failed, ok := err.(*taxonomy.Evidence)
	return err == nil || ok && failed.Err == nil
}

// hasEffect reports whether the rule has an effect and searches no text.
func (r *Rule) hasEffect() bool {
	return r.Like != nil && r.Like.Effect != taxonomy.EffectUnspecified && len(r.LikeText)+len(r.LikeContains) == 0
}

// firstGroup returns the first group of the first expression that the text matches, or "".
func firstGroup(exprs []*regexp.Regexp, searched string) string {
	for _, re := range exprs {
		if m := re.FindStringSubmatch(searched); len(m) > 1 {
			if value := strings.TrimSpace(m[1]); value != "" {
				return value
			}
		}
	}
	return ""
}

// precede moves each rule behind the rules of the same priority whose signature is over its own. It
// changes nothing else in the order. In a cycle of signatures, the first rule stays first.
func precede(list []*Rule) []*Rule {
	var likes []int
	for i := range list {
		if list[i].Like != nil {
			likes = append(likes, i)
		}
	}
	out := make([]*Rule, 0, len(list))
	visited := make([]bool, len(list))
	var visit func(i int)
	visit = func(i int) {
		if visited[i] {
			return
		}
		visited[i] = true
		for _, j := range likes {
			if !visited[j] && list[j].over(list[i]) {
				visit(j)
			}
		}
		out = append(out, list[i])
	}
	for i := range list {
		visit(i)
	}
	return out
}

// over reports whether a rule comes before another one because of their signatures.
func (r *Rule) over(other *Rule) bool {
	return r.Like != nil && other.Like != nil && r.Priority == other.Priority && (!r.weak || other.weak) &&
		slices.Contains(r.Like.Over, other.Like.Name)
}

// maxMatched bounds in bytes the matched text that an explanation shows.
const maxMatched = 200

// matched returns the lines of a text in which a rule matched, secrets masked, or "".
func (r *Rules) matched(rule *Rule, searched string) string {
	if searched == "" || slices.Contains(r.Sensitive, "text") {
		return ""
	}
	e := r.engine()
	for group := range rule.groups() {
		for _, id := range group {
			if int(id) >= len(e.patterns) {
				continue
			}
			from, to, ok := e.patterns[id].program().find(searched)
			if !ok {
				continue
			}
			from = strings.LastIndexByte(searched[:from], '\n') + 1
			if n := strings.IndexByte(searched[to:], '\n'); n >= 0 {
				to += n
			} else {
				to = len(searched)
			}
			lines := text.Masked(searched[from:to])
			if !strings.Contains(text.Masked(searched), lines) { // a secret is on several lines
				return ""
			}
			return text.Head(oneLine(strings.TrimSpace(lines)), maxMatched)
		}
	}
	return ""
}
