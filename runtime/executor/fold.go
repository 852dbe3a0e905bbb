package executor

import (
	"slices"
	"time"
)

// past is what the entries of a run's journal say. The zero past is that of a new run.
type past struct {
	begun    *Begun
	state    Closed
	closed   int // the last iteration that was closed
	open     *open
	approved []Change
	process  *Process  // of the last call or check, if it may still live
	check    bool      // whether it is one of a check
	tier     int       // of the last call
	closedAt time.Time // by the clock of the process that closed the last iteration
	ended    *Result
	notified bool

	spent     Spending
	text      string
	question  string
	errors    []ErrorRecord
	waits     []Wait
	commits   []CommitDone
	refs      []string
	pr        string
	recounted int
	counted   int
}

// open is what is known of an iteration that was not closed.
type open struct {
	number  int
	spent   Spending
	started map[int]Started
	answers map[int]Answered
	paid    map[int]bool // calls of which an entry says what they cost
	judged  *Judged
	undone  *Judged // what was about to be put back before another call
	intent  *Committing
	commit  *CommitDone
	push    bool
	url     string
}

// fold returns what entries say. Entries that say nothing are passed over.
func fold(entries []Entry) *past {
	p := &past{}
	for i := range entries {
		p.add(&entries[i])
	}
	return p
}

func (p *past) add(e *Entry) {
	if p.check && e.Point != PointProcess {
		p.process, p.check = nil, false // whatever comes behind a check is written when it is over
	}
	switch {
	case e.Point == PointBegun && e.Begun != nil:
		p.begun = e.Begun
		p.state.Checked = e.Begun.Checked
	case e.Point == PointStarted && e.Started != nil:
		p.start(e.Iteration, *e.Started)
	case e.Point == PointProcess && e.Process != nil:
		p.process, p.check = e.Process, e.Op != ""
	case e.Point == PointAnswered && e.Answered != nil:
		p.answer(e.Iteration, *e.Answered)
	case e.Point == PointApproved:
		p.approved = append(p.approved, e.Approved...)
	case e.Point == PointClosed && e.Closed != nil:
		p.close(e.Iteration, e.Closed)
		p.closedAt = e.At
	case e.Point == PointEnded && e.Ended != nil:
		p.ended = e.Ended
	case e.Point == PointNotified:
		p.notified = true
	default:
		p.effect(e)
	}
}

// iteration returns the open iteration of the number.
func (p *past) iteration(number int) *open {
	if p.open == nil || p.open.number != number {
		p.open = &open{number: number, started: map[int]Started{}, answers: map[int]Answered{}, paid: map[int]bool{}}
	}
	return p.open
}

func (p *past) start(number int, s Started) {
	p.waits = append(p.waits, s.Waits...)
	p.process, p.tier = nil, s.Tier
	o := p.iteration(number)
	if _, twice := o.started[s.Call]; !twice {
		p.spent.begin()
		o.spent.begin()
	}
	o.started[s.Call] = s
}

func (p *past) answer(number int, a Answered) {
	o := p.iteration(number)
	if _, begun := o.started[a.Call]; begun && !o.paid[a.Call] {
		o.paid[a.Call] = true
		spent, _ := a.Usage.sound()
		p.spent.end(spent)
		o.spent.end(spent)
	}
	if a.Cancelled {
		return
	}
	p.process = nil
	p.question = a.Question
	if a.Error == nil {
		p.text = a.Text
	}
	o.answers[a.Call] = a
}

func (p *past) effect(e *Entry) {
	o := p.iteration(e.Iteration)
	switch {
	case e.Point == PointReverting && e.Judged != nil:
		if e.Judged.Call == 0 {
			o.judged = e.Judged
		} else {
			o.undone = e.Judged
		}
		if e.Judged.Ref != "" {
			p.refs = append(p.refs, e.Judged.Ref)
		}
	case e.Point == PointCommitting && e.Committing != nil:
		o.intent = e.Committing
	case e.Point == PointCommitted && e.Committed != nil:
		o.commit = e.Committed
	case e.Point == PointPushed:
		o.push = true
	case e.Point == PointPROpened:
		o.url, p.pr = e.PullRequest, e.PullRequest
	}
}

// close takes an iteration's end. The counter is recounted, and not trusted.
func (p *past) close(number int, c *Closed) {
	switch {
	case c.Count:
		p.recounted++
		p.counted++
	case c.Clean:
		p.recounted = 0
	}
	p.state = *c
	p.state.Failures, p.state.Counted = p.recounted, p.counted
	if p.open != nil && p.open.commit != nil {
		p.commits = append(p.commits, *p.open.commit)
	}
	p.closed, p.open, p.process = number, nil, nil
	p.errors = append(p.errors, c.Errors...)
	p.waits = append(p.waits, c.Waits...)
}

// interrupted reports that the call was begun, and nobody knows how it ended.
func (o *open) interrupted(call int) bool {
	if o == nil {
		return false
	}
	_, begun := o.started[call]
	_, ended := o.answers[call]
	return begun && !ended
}

// began reports that the run, before it died, had gone on to the call.
func (o *open) began(op operation, call int) bool {
	if o == nil || op.name != opCall {
		return false
	}
	_, started := o.started[call]
	_, ended := o.answers[call] // without having been started, if a check came before it
	return started || ended
}

// overcame reports that another try had taken the place of the failed call.
func (o *open) overcame(call int) bool {
	for _, rec := range o.judged.Errors {
		if rec.Op != opCall {
			continue
		}
		if call--; call == 0 {
			return rec.Overcome
		}
	}
	return false
}

// undoing returns what was about to be put back after the call, or nil.
func (o *open) undoing(call int) *Judged {
	if o == nil || o.undone == nil || o.undone.Call != call {
		return nil
	}
	return o.undone
}

func (o *open) hasJudged() bool { return o != nil && o.judged != nil }

// passed reports that a check had passed, and what it changed was judged.
func (o *open) passed(phase Phase) bool {
	return o.hasJudged() && o.judged.Passed != "" && slices.Index(phases, phase) <= slices.Index(
		phases, o.judged.Passed)
}

func (o *open) committing() bool { return o != nil && o.intent != nil }

func (o *open) pushed() bool { return o != nil && o.push }

func (o *open) pullRequest() string {
	if o == nil {
		return ""
	}
	return o.url
}
