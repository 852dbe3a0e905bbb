package breaker

import (
	"math"
	"time"
)

const (
	// judged is by how many ends patience is judged.
	judged = 16
	// leastWait is how long a wait always may be, so that somebody is there when a turn comes.
	leastWait = 200 * time.Millisecond
)

// patience is how long those who wait may, so that there is time left for their call. If most of them give up, because they were let
// in too late or not at all, to let in who waited longest serves nobody. Then the queue becomes shorter, and who finds no
// place in it asks again. The zero patience has no bound.
type patience struct {
	most       time.Duration // 0 is any
	changed    time.Time
	kept, lost int
	waited     time.Duration // of those who gave up, together
}

// bound is how long somebody may wait who has so much time left: half of it, since the call takes time too.
func (p *patience) bound(left time.Duration) time.Duration {
	most := p.most
	if most == 0 {
		most = math.MaxInt64
	}
	return min(left/2, most)
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
		p.most = max(p.bound(p.waited/time.Duration(p.lost))/p.again(), leastWait)
		p.changed = now
	}
	p.kept, p.lost, p.waited = 0, 0, 0
}

// again is by what the bound is divided that was found too long.
func (p *patience) again() time.Duration {
	if p.most == 0 {
		return 1
	}
	return 2
}
