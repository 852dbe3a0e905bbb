package predict

import (
	"math"
	"time"
)

// The views of what comes next.
const (
	viewLong = iota
	viewStep
	viewBurst
	views
)

// newShare is the weight, in calls, of failures that nobody has seen yet; successes have as much
// beforehand.
const newShare = 0.5

// outlook is what is looked at to foretell one call.
type outlook struct {
	all, long *counts
	// step and paused are nil where the outcome that came last, or its pause, was never followed by
	// anything.
	step, paused *counts
	burst        *counts
	// faded is the factor of the burst's weights.
	faded   float64
	weights [views]float64
}

// nothing is what is known of what was never seen.
var nothing counts

// at returns what is looked at for a call of the provider that begins at now.
func (m *Model) at(p *provider, now time.Time) outlook {
	o := outlook{all: &m.all, long: &p.long, step: &nothing, paused: &nothing, burst: &p.burst, faded: m.faded(p, now),
		weights: p.weights}
	if p.calls == 0 {
		return o
	}
	if s := p.step(p.last); s != nil {
		o.step, o.paused = &s.all, &s.paused[kindOf(p.paused(now))]
	}
	return o
}

// shares returns how probable each view says that the outcome is.
func (o *outlook) shares(code string) (s [views]float64) {
	before := 0.0
	if code == "" {
		before = newShare
	}
	root := (o.all.weight(code) + before) / (o.all.total + 2*newShare)
	s[viewLong] = o.long.share(code, root)
	s[viewStep] = o.paused.share(code, o.step.share(code, s[viewLong]))
	s[viewBurst] = (o.burst.weight(code)*o.faded + prior*s[viewLong]) / (o.burst.total*o.faded + prior)
	return s
}

// unseen returns how probable each view says that a failure is which nobody has seen yet.
func (o *outlook) unseen() (s [views]float64) {
	root := newShare / (o.all.total + 2*newShare)
	s[viewLong] = o.long.share("\x00", root)
	s[viewStep] = o.paused.share("\x00", o.step.share("\x00", s[viewLong]))
	s[viewBurst] = prior * s[viewLong] / (o.burst.total*o.faded + prior)
	return s
}

// rests returns on how many calls each view rests.
func (o *outlook) rests() (n [views]float64) {
	n[viewLong] = o.long.total + lent(o.all.total)
	n[viewStep] = o.paused.total + lent(o.step.total+lent(n[viewLong]))
	n[viewBurst] = o.burst.total*o.faded + lent(n[viewLong])
	return n
}

// mean is the weighted mean of what the views say.
func (o *outlook) mean(shares [views]float64) float64 {
	p := 0.0
	for i, s := range shares {
		p += o.weights[i] * s
	}
	return min(1, max(0, p))
}

// believed is how much each view counts in the interval. The burst counts as far as what it has
// seen itself differs from the long run, and not by chance; the rest of its weight is the long
// run's. So a burst that says the same does not make the long run less sure, and neither does one
// that has seen nothing.
func (o *outlook) believed(shares *[views]float64) [views]float64 {
	w := o.weights
	chance := 1 - math.Abs(2*below(shares[viewLong], shares[viewBurst], o.burst.total*o.faded)-1)
	same := chance * chance
	w[viewLong] += same * w[viewBurst]
	w[viewBurst] *= 1 - same
	return w
}

// interval returns between what the true probability is, but for the doubt on either side.
func (o *outlook) interval(shares [views]float64, doubt float64) (low, high float64) {
	rests, weights := o.rests(), o.believed(&shares)
	sure := func(x float64) float64 {
		sum := 0.0
		for i, n := range rests {
			sum += weights[i] * below(x, shares[i], n)
		}
		return sum
	}
	low = lastWhere(func(x float64) bool { return sure(x) < doubt })
	high = lastWhere(func(x float64) bool { return sure(x) <= 1-doubt })
	return low, high
}

// weigh moves the weights of the views by how well they foretold an outcome.
func (p *provider) weigh(o outlook, code string) {
	shares := o.shares(code)
	if code != "" && o.all.find(code) < 0 && o.long.find(code) < 0 {
		shares = o.unseen()
	}
	sum := 0.0
	for i := range p.weights {
		p.weights[i] *= max(leastShare, shares[i])
		sum += p.weights[i]
	}
	for i := range p.weights {
		p.weights[i] = (1-shareMoved)*p.weights[i]/sum + shareMoved/views
	}
}

func halvings(n float64) float64 { return math.Exp2(-n) }
