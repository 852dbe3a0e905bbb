package recovery

import (
	"cmp"
	"math"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	notNegative     = "0 or more"
	notNegativeTime = "a duration, 0 or more"
)

// wrongNumbers returns what is wrong with the numbers of the options.
func (o *Options) wrongNumbers() []error {
	var all []error
	for _, d := range []struct {
		field string
		value time.Duration
	}{{"ValidateLimit", o.ValidateLimit}, {"RateLimitWait", o.RateLimitWait}, {"MaxWait", o.MaxWait}} {
		if d.value < 0 {
			all = append(all, misfit(d.field, d.value.String(), notNegativeTime))
		}
	}
	if longest := cmp.Or(o.MaxWait, DefaultMaxWait); o.MaxWait >= 0 && o.RateLimitWait > longest {
		all = append(
			all, misfit("RateLimitWait", o.RateLimitWait.String(), "at most the MaxWait, which is "+longest.String()))
	}
	if o.MaxAttempts < 0 {
		all = append(all, misfit("MaxAttempts", strconv.Itoa(o.MaxAttempts), notNegative))
	}
	if o.Backoff != nil {
		all = append(all, wrongBackoff(o.Backoff)...)
	}
	return all
}

// wrongBackoff returns what is wrong with what spaces tries.
func wrongBackoff(p *taxonomy.Policy) []error {
	var all []error
	if p.MaxAttempts < 0 {
		all = append(all, misfit("Backoff.MaxAttempts", strconv.Itoa(p.MaxAttempts), notNegative))
	}
	for _, d := range []struct {
		field string
		value time.Duration
	}{
		{"InitialDelay", p.InitialDelay}, {"MaxDelay", p.MaxDelay}, {"MaxElapsed", p.MaxElapsed},
		{"MaxRetryAfter", p.MaxRetryAfter},
	} {
		if d.value < 0 {
			all = append(all, misfit("Backoff."+d.field, d.value.String(), notNegativeTime))
		}
	}
	// Written so that what is no number does not pass.
	if m := p.Multiplier; m != 0 && !(m >= 1 && m <= math.MaxFloat64) {
		all = append(
			all, misfit("Backoff.Multiplier", strconv.FormatFloat(m, 'g', -1, 64), "1 or more, or 0, which is 2"))
	}
	if !(p.Jitter >= 0 && p.Jitter <= 1) {
		all = append(all, misfit("Backoff.Jitter", strconv.FormatFloat(p.Jitter, 'g', -1, 64), "0 to 1"))
	}
	return all
}
