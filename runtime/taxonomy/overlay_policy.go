package taxonomy

import (
	"cmp"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The numbers of a policy that does not set them.
const (
	defaultDelay    = time.Second
	defaultMaxDelay = 30 * time.Second
)

// merge sets the fields of the struct that dst points to for which the override that src points to
// has a value, and reports values that are not valid. A word or a duration is text in the override.
// A struct that is nil in dst begins with its defaults. The names of reactions and policies are left
// to the caller.
func (v *overlay) merge(dst, src any, at string) {
	d, s := reflect.ValueOf(dst).Elem(), reflect.ValueOf(src).Elem()
	for i := range s.NumField() {
		f, value := s.Type().Field(i), reflect.Indirect(s.Field(i))
		if s.Field(i).IsZero() || f.Anonymous {
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		at := at + "." + key
		if r, ok := dst.(*Reaction); ok && !takes(r.Action, key) {
			v.problem(at, "%s does not take it", r.Action)
		}
		target := d.FieldByName(cmp.Or(f.Tag.Get("to"), f.Name))
		if p, ok := dst.(*Policy); ok && f.Name == "Jitter" {
			v.setJitter(p, value.String(), at)
			continue
		}
		v.set(target, value, at)
		switch {
		case value.Kind() == reflect.Struct && !target.IsValid(): // its fields are in dst
			v.merge(dst, value.Addr().Interface(), at)
		case target.IsValid() && f.Tag.Get("range") != "":
			v.checkRange(target, f.Tag.Get("range"), at)
		}
	}
}

// set sets a field to the value of an override.
func (v *overlay) set(target, value reflect.Value, at string) {
	switch text, isText := value.Interface().(string); {
	case !target.IsValid():
	case value.Kind() == reflect.Struct && target.Type().Elem() != reflect.TypeFor[Reaction]():
		part := newPart(target)
		v.merge(part.Interface(), value.Addr().Interface(), at)
		target.Set(part)
	case isText && target.Kind() == reflect.Uint8:
		v.setWord(target.Addr().Interface(), text, at)
	case isText && target.Type() == reflect.TypeFor[time.Duration]():
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			v.problem(at, "%q is not a valid duration, such as 1.5s or 2h", text)
			return
		}
		target.SetInt(int64(d))
	case target.Kind() != reflect.Pointer && value.CanConvert(target.Type()):
		target.Set(value.Convert(target.Type()))
	}
}

// newPart returns a pointer to a copy of the struct that a field points to, or to its defaults.
func newPart(field reflect.Value) reflect.Value {
	part := reflect.New(field.Type().Elem())
	switch p := part.Interface().(type) {
	case *Adapt:
		*p = Adapt{Target: 0.8, Window: 50}
	case *Budget:
		*p = Budget{Retries: -1, Reserve: 3, Window: 10 * time.Second}
	case *Breaker:
		*p = Breaker{Probe: 5 * time.Second, Successes: 1}
	}
	if !field.IsNil() {
		part.Elem().Set(field.Elem())
	}
	return part
}

// checkRange reports a number that is not within limits such as "1..100", "1.." or ">0".
func (v *overlay) checkRange(number reflect.Value, limits, at string) {
	n := number.Convert(reflect.TypeFor[float64]()).Float()
	low, high, _ := strings.Cut(limits, "..")
	least, positive := strconv.ParseFloat(low, 64)
	most, unlimited := strconv.ParseFloat(high, 64)
	switch {
	case positive != nil && n <= 0:
		limits = "more than 0"
	case unlimited != nil && !(n >= least && n <= math.MaxFloat64):
		limits = low + " or more"
	case unlimited == nil && !(n >= least && n <= most):
		limits = low + " to " + high
	default:
		return
	}
	v.problem(at, "%v is out of range (%s)", number.Interface(), limits)
}

// setWord sets the value of a small type to the value of a word, unless the word is empty. The
// first word of a type that begins with none is not a word of the language.
func (v *overlay) setWord(dst any, word, at string) {
	if word == "" {
		return
	}
	value := reflect.ValueOf(dst).Elem()
	words, from := wordsOf(value.Interface()), 0
	if words[0] == "none" {
		from = 1
	}
	i := slices.Index(words[from:], word)
	if i < 0 {
		v.problem(at, "%q is not one of %s", word, strings.Join(words[from:], ", "))
		return
	}
	value.SetUint(uint64(from + i))
}

func (v *overlay) setJitter(p *Policy, text, at string) {
	f, err := strconv.ParseFloat(text, 64)
	switch i := slices.Index(jitterKindWords[:], text); {
	case i >= 0 && JitterKind(i) != JitterProportional:
		p.JitterKind, p.Jitter = JitterKind(i), 0
	case err != nil || !(f >= 0 && f <= 1):
		v.problem(at, "%q is neither a number from 0 to 1 nor none, full or decorrelated", text)
	default:
		p.JitterKind, p.Jitter = JitterNone, f
		if f > 0 {
			p.JitterKind = JitterProportional
		}
	}
}

// policy returns base with the overrides; base itself if they change nothing.
func (v *overlay) policy(base *Policy) *Policy {
	if base == nil {
		return nil
	}
	top, ok := v.over.Policies[base.Name]
	if !ok {
		return base
	}
	if p := v.donePolicies[base]; p != nil {
		return p
	}
	p := *base
	v.mergePolicy(&p, &top, "policies."+base.Name)
	v.donePolicies[base] = &p
	if p.Equal(base) {
		v.donePolicies[base] = base
	}
	return v.donePolicies[base]
}

// Equal reports whether two policies have the same values, in everything that they point to as
// well.
func (p *Policy) Equal(q *Policy) bool { return reflect.DeepEqual(p, q) }

// mergePolicy applies top to p. A number that is the same as the one it defaults to follows that:
// max_retry_after follows max_delay, the bounds of adapt the policy's own numbers, and a breaker's
// number of calls its failures.
func (v *overlay) mergePolicy(p *Policy, top *PolicyOverride, at string) {
	before := *p
	v.merge(p, top, at)
	if before.MaxRetryAfter == before.MaxDelay && top.MaxRetryAfter == "" {
		p.MaxRetryAfter = p.MaxDelay
	}
	if p.MaxDelay < p.InitialDelay && (top.InitialDelay != "" || top.MaxDelay != "") {
		key := ".max_delay"
		if top.MaxDelay == "" {
			key = ".initial_delay"
		}
		v.problem(at+key, "max_delay %s is below initial_delay %s", p.MaxDelay, p.InitialDelay)
	}
	if p.Adapt != nil {
		a := *p.Adapt
		p.Adapt = &a
		v.followNumbers(p, &before, cmp.Or(top.Adapt, new(AdaptOverride)), at+".adapt")
	}
	if top.Budget != nil {
		v.checkBudget(p.Budget, before.Budget, top.Budget, at+".budget")
	}
}

// followNumbers sets the bounds of the policy's adapt that follow its numbers.
func (v *overlay) followNumbers(p, before *Policy, top *AdaptOverride, at string) {
	a, was := p.Adapt, cmp.Or(before.Adapt, new(Adapt))
	if top.Attempts == nil && top.Delay == nil && was.MaxAttempts == 0 && was.MaxDelay == 0 {
		v.problem(at, "needs attempts or delay")
	}
	if top.Attempts != nil || was.MaxAttempts != 0 {
		set := cmp.Or(top.Attempts, new(AttemptsOverride))
		follow(&a.MinAttempts, set.Min == nil, was.MaxAttempts, before.MaxAttempts, p.MaxAttempts)
		follow(&a.MaxAttempts, set.Max == nil, was.MaxAttempts, before.MaxAttempts, p.MaxAttempts)
		if a.MinAttempts < 1 || a.MinAttempts > p.MaxAttempts {
			v.problem(at+".attempts.min", "%d is out of range (1 to %d)", a.MinAttempts, p.MaxAttempts)
		}
		if a.MaxAttempts < p.MaxAttempts || a.MaxAttempts > maxMoved {
			v.problem(at+".attempts.max", "%d is out of range (%d to %d)", a.MaxAttempts, p.MaxAttempts, maxMoved)
		}
	}
	if top.Delay != nil || was.MaxDelay != 0 {
		set := cmp.Or(top.Delay, new(DelayOverride))
		follow(&a.MinDelay, set.Min == "", was.MaxDelay, before.InitialDelay, p.InitialDelay)
		follow(&a.MaxDelay, set.Max == "", was.MaxDelay, before.InitialDelay, p.InitialDelay)
		if a.MinDelay > p.InitialDelay || a.MaxDelay < p.InitialDelay || a.MaxDelay > p.MaxDelay || a.MaxDelay == 0 {
			v.problem(at+".delay", "%s to %s must include initial_delay %s and end within max_delay %s",
				a.MinDelay, a.MaxDelay, p.InitialDelay, p.MaxDelay)
		}
	}
}

// maxMoved is the greatest number of attempts that `adapt` may move to.
const maxMoved = 100

// follow sets a bound that is unset to the policy's number, if it was absent or the same as that.
// Was is the upper bound before.
func follow[T cmp.Ordered](bound *T, unset bool, was, before, now T) {
	var none T
	if unset && (was == none || *bound == before) {
		*bound = now
	}
}

// checkBudget completes and checks a budget to which top was applied.
func (v *overlay) checkBudget(b, before *Budget, top *BudgetOverride, at string) {
	if top.Retries == nil && b.Retries < 0 && (b.Breaker == nil || top.Reserve != nil || top.Window != "") {
		v.problem(at, "needs retries, or nothing but breaker")
	}
	if top.Breaker == nil {
		return
	}
	c, was := b.Breaker, new(Breaker)
	if before != nil {
		was = cmp.Or(before.Breaker, was)
	}
	if top.Breaker.Of == nil && was.Of == was.Failures {
		c.Of = c.Failures
	}
	if c.Failures > c.Of || c.Failures == 0 && top.Breaker.Failures == nil {
		v.problem(at+".breaker.failures", "%d is out of range (1 to %d)", c.Failures, max(c.Of, 1))
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
