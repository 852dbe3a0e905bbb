package breaker

import "time"

// duration is how long calls take that succeed: their mean, and how far they are from it on
// average, as TCP reckons for its retransmissions (RFC 6298). The zero duration knows nothing.
type duration struct{ mean, apart time.Duration }

// Of what is new an eighth counts, and a quarter of how far it is from the mean; what is four times
// as far is usual still.
const (
	newMean  = 8
	newApart = 4
	farthest = 4
)

func (d *duration) add(took time.Duration) {
	switch {
	case took <= 0:
	case d.mean == 0:
		d.mean, d.apart = took, took/2
	default:
		d.apart += ((took - d.mean).Abs() - d.apart) / newApart
		d.mean += (took - d.mean) / newMean
	}
}

// most is how long a call usually takes at most; 0 is not known.
func (d *duration) most() time.Duration { return d.mean + farthest*d.apart }
