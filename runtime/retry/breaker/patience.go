package breaker

import "time"

const (
	// judged is by how many ends patience is judged.
	judged = 16
	// leastWait is how long a wait always may be.
	leastWait = time.Millisecond
)

// patience is how long those who wait may, so that there is time left for their call. If most of
// them give up, because they were let in too late or not at all, to let in who waited longest
// serves nobody. Then the queue becomes shorter, and who finds no place in it asks again. The zero
// patience has no bound.
type patience struct {
	most       time.Duration // 0 is any
	changed    time.Time
	kept, lost int
	waited     time.Duration // of those who gave up, together
}

// mayWait is how long somebody may wait who has so much time left: half of it at most, since the
// call takes time too, and no longer than leaves as much as calls take.
func mayWait(left, takes time.Duration) time.Duration { return max(0, min(left/2, left-takes)) }

// bound is how long somebody may wait for a place.
func (p *patience) bound(left, takes time.Duration) time.Duration {
	if p.most == 0 {
		return mayWait(left, takes)
	}
	return min(mayWait(left, takes), p.most)
}

// served counts somebody who came then and did not give up.
func (p *patience) served(came, now time.Time) {
	if !came.Before(p.changed) {
		p.kept++
		p.judge(now)
	}
}

// gaveUp counts somebody who came then and gave up now, in the queue or in the call.
func (p *patience) gaveUp(came, now time.Time) {
	if !came.Before(p.changed) {
		p.lost++
		p.waited += now.Sub(came)
		p.judge(now)
	}
}

func (p *patience) judge(now time.Time) {
	if p.kept+p.lost < judged {
		return
	}
	if p.lost > p.kept {
		mean := p.waited / time.Duration(p.lost) / 2
		if p.most > 0 {
			mean = min(mean, p.most) / 2
		}
		p.most = max(mean, leastWait)
		p.changed = now
	}
	p.kept, p.lost, p.waited = 0, 0, 0
}
