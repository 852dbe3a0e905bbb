package predict

import (
	"math"
	"time"
)

const (
	defaultProviders  = 64
	defaultCodes      = 32
	defaultHalfLife   = 300
	defaultBurst      = 3 * time.Minute
	defaultConfidence = 0.9
	// most bounds what options may ask for.
	mostProviders = 4096
	mostCodes     = 256
	mostHalfLife  = 1_000_000
)

// Options are how a [Model] learns. What is 0 or cannot be is as it says.
type Options struct {
	// MaxProviders is how many providers are remembered, at most 4096; 64. One more takes the place
	// of the one that was heard of least lately.
	MaxProviders int
	// MaxCodes is how many outcomes are told apart in each of a provider's counts, at most 256; 32.
	// One more takes the place of the one that weighs least.
	MaxCodes int
	// HalfLife is after how many further calls one counts half; 300.
	HalfLife int
	// Burst is after how much time a call counts half in the burst; 3 minutes.
	Burst time.Duration
	// Confidence is how sure intervals are, between 0 and 1; 0.9.
	Confidence float64
}

func (o Options) filled() Options {
	o.MaxProviders = within(o.MaxProviders, defaultProviders, mostProviders)
	o.MaxCodes = within(o.MaxCodes, defaultCodes, mostCodes)
	o.HalfLife = within(o.HalfLife, defaultHalfLife, mostHalfLife)
	if o.Burst <= 0 {
		o.Burst = defaultBurst
	}
	if !(o.Confidence > 0 && o.Confidence < 1) {
		o.Confidence = defaultConfidence
	}
	return o
}

func within(n, otherwise, most int) int {
	if n <= 0 {
		return otherwise
	}
	return min(n, most)
}

// halved is the factor by which weights fall in one of n steps that halve them.
func halved(n float64) float64 { return math.Exp2(-1 / n) }
