package taxonomy

import (
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

// Limits of numbers.
const (
	maxNumber = 1_000_000
	// maxMoved is the greatest number of attempts that `adapt` may move to, maxOutcomes the
	// greatest number of outcomes that are remembered for a code or lane.
	maxMoved, minOutcomes, maxOutcomes = 100, 10, 1000
	minTarget, maxTarget               = 0.01, 0.99
)

// merge sets the fields of the struct that dst points to for which the override that src points to
// has a value. Fields correspond by name. A word or a duration is text in the override. Fields that
// are pointers in dst are left to the caller.
func (v *overlay) merge(dst, src any, at string) {
	d, s := reflect.ValueOf(dst).Elem(), reflect.ValueOf(src).Elem()
	for i := range s.NumField() {
		f, value := s.Type().Field(i), s.Field(i)
		target := d.FieldByName(f.Name)
		if value.IsZero() || !target.IsValid() || target.Kind() == reflect.Pointer {
			continue
		}
		value = reflect.Indirect(value)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch text, isText := value.Interface().(string); {
		case isText && target.Kind() == reflect.Uint8:
			v.setWord(target.Addr().Interface(), text, at+"."+key)
		case isText && target.Type() == reflect.TypeFor[time.Duration]():
			v.setDuration(target.Addr().Interface().(*time.Duration), text, at+"."+key)
		case value.CanConvert(target.Type()):
			target.Set(value.Convert(target.Type()))
		}
	}
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

func (v *overlay) setDuration(dst *time.Duration, text, at string) {
	if text == "" {
		return
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		v.problem(at, "%q is not a valid duration, such as 1.5s or 2h", text)
		return
	}
	*dst = d
}

func (v *overlay) setJitter(p *Policy, text JitterText, at string) {
	i := slices.Index(jitterKindWords[:], string(text))
	f, err := strconv.ParseFloat(string(text), 64)
	switch {
	case text == "":
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

// between reports a number that is out of range.
func (v *overlay) between(at string, n, least, most float64) {
	if !(n >= least && n <= most) {
		v.problem(at, "%s is out of range (%s to %s)", decimal(n), decimal(least), decimal(most))
	}
}

// atLeast reports a number that is too small or not finite.
func (v *overlay) atLeast(at string, n, least float64) {
	if !(n >= least) || math.IsInf(n, 0) {
		v.problem(at, "%s is out of range (%s or more)", decimal(n), decimal(least))
	}
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// positive reports a duration that is 0.
func (v *overlay) positive(at string, d time.Duration) {
	if d == 0 {
		v.problem(at, "0s is out of range (more than 0s)")
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
	v.setJitter(p, top.Jitter, at+".jitter")
	if top.MaxAttempts != nil {
		v.between(at+".max_attempts", float64(p.MaxAttempts), 1, maxNumber)
	}
	v.atLeast(at+".multiplier", p.Multiplier, 1)
	if p.MaxDelay < p.InitialDelay && (top.InitialDelay != "" || top.MaxDelay != "") {
		key := ".max_delay"
		if top.MaxDelay == "" {
			key = ".initial_delay"
		}
		v.problem(at+key, "max_delay %s is below initial_delay %s", p.MaxDelay, p.InitialDelay)
	}
	v.mergeAdapt(p, &before, top, at+".adapt")
	if top.Budget != nil {
		v.mergeBudget(p, top.Budget, at+".budget")
	}
}

// mergeAdapt applies the part of top about adapt to p, which has top's numbers already.
func (v *overlay) mergeAdapt(p, before *Policy, top *PolicyOverride, at string) {
	if p.Adapt == nil && top.Adapt == nil {
		return
	}
	a, was, set := Adapt{Target: 0.8, Window: 50}, Adapt{}, AdaptOverride{}
	if p.Adapt != nil {
		a, was = *p.Adapt, *p.Adapt
	}
	if top.Adapt != nil {
		set = *top.Adapt
	}
	v.merge(&a, &set, at)
	if set.Attempts != nil || was.MaxAttempts != 0 {
		r := AttemptsOverride{}
		if set.Attempts != nil {
			r = *set.Attempts
		}
		follow(&a.MinAttempts, r.Min, was.MaxAttempts != 0, before.MaxAttempts, p.MaxAttempts)
		follow(&a.MaxAttempts, r.Max, was.MaxAttempts != 0, before.MaxAttempts, p.MaxAttempts)
		v.between(at+".attempts.min", float64(a.MinAttempts), 1, float64(p.MaxAttempts))
		v.between(at+".attempts.max", float64(a.MaxAttempts), float64(p.MaxAttempts), maxMoved)
	}
	if set.Delay != nil || was.MaxDelay != 0 {
		var low, high *time.Duration
		if r := set.Delay; r != nil {
			low, high = v.duration(r.Min, at+".delay.min"), v.duration(r.Max, at+".delay.max")
		}
		follow(&a.MinDelay, low, was.MaxDelay != 0, before.InitialDelay, p.InitialDelay)
		follow(&a.MaxDelay, high, was.MaxDelay != 0, before.InitialDelay, p.InitialDelay)
		if a.MinDelay > p.InitialDelay || a.MaxDelay < p.InitialDelay || a.MaxDelay > p.MaxDelay || a.MaxDelay == 0 {
			v.problem(at+".delay", "%s to %s must include initial_delay %s and end within max_delay %s",
				a.MinDelay, a.MaxDelay, p.InitialDelay, p.MaxDelay)
		}
	}
	if a.MaxAttempts == 0 && a.MaxDelay == 0 && set.Attempts == nil && set.Delay == nil {
		v.problem(at, "needs attempts or delay")
	}
	v.between(at+".target", a.Target, minTarget, maxTarget)
	v.between(at+".window", float64(a.Window), minOutcomes, maxOutcomes)
	p.Adapt = &a
}

// follow sets a bound: to the value that is set, else to the number that it follows if it is absent
// or was the same as that number.
func follow[T comparable](bound, set *T, present bool, before, now T) {
	switch {
	case set != nil:
		*bound = *set
	case !present || *bound == before:
		*bound = now
	}
}

func (v *overlay) duration(text, at string) *time.Duration {
	if text == "" {
		return nil
	}
	d := new(time.Duration)
	v.setDuration(d, text, at)
	return d
}

// mergeBudget applies top to the policy's budget.
func (v *overlay) mergeBudget(p *Policy, top *BudgetOverride, at string) {
	b := Budget{Retries: -1, Reserve: 3, Window: 10 * time.Second}
	if p.Budget != nil {
		b = *p.Budget
	}
	v.merge(&b, top, at)
	if top.Breaker != nil {
		v.mergeBreaker(&b, top.Breaker, at+".breaker")
	}
	p.Budget = &b
	if top.Retries != nil {
		v.atLeast(at+".retries", b.Retries, 0)
	} else if b.Retries < 0 && (b.Breaker == nil || top.Reserve != nil || top.Window != "") {
		v.problem(at, "needs retries, or nothing but breaker")
	}
	v.between(at+".reserve", float64(b.Reserve), 0, maxNumber)
	v.positive(at+".window", b.Window)
}

// mergeBreaker applies top to the budget's breaker.
func (v *overlay) mergeBreaker(b *Budget, top *BreakerOverride, at string) {
	c := Breaker{Probe: 5 * time.Second, Successes: 1}
	if b.Breaker != nil {
		c = *b.Breaker
	}
	follows := c.Of == c.Failures && top.Of == nil
	v.merge(&c, top, at)
	if follows {
		c.Of = c.Failures
	}
	v.between(at+".of", float64(c.Of), 1, maxOutcomes)
	v.between(at+".failures", float64(c.Failures), 1, float64(c.Of))
	v.between(at+".successes", float64(c.Successes), 1, maxOutcomes)
	v.positive(at+".probe", c.Probe)
	b.Breaker = &c
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
