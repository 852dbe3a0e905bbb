package terminal

import (
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/executor"
)

// run is what the live line says of a run.
type run struct {
	name string
	// began is when the run was first heard of, since when the present activity began.
	began, since time.Time
	iteration    int
	doing        string
	progress     string
	until        time.Time // of a wait
}

// take notes what e changes.
func (r *run) take(e executor.Event, now time.Time) {
	if e.Iteration != 0 {
		r.iteration = e.Iteration
	}
	switch e.Kind {
	case executor.CallStarted:
		r.begin(now, "calling "+e.Source)
	case executor.Progressed:
		r.progress = e.Text
	case executor.Waiting:
		r.begin(now, "waiting")
		r.progress, r.until = e.Text, e.Until
	case executor.Paused:
		r.begin(now, "paused")
	case executor.CallEnded, executor.IterationStarted, executor.Unpaused, executor.Waited:
		r.begin(now, "working")
	}
}

func (r *run) begin(now time.Time, doing string) {
	r.since, r.doing, r.progress, r.until = now, doing, "", time.Time{}
}

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

const eraseLine = "\r\x1b[K"

// erase returns what takes the live line off the screen, if there is one.
func (o *Observer) erase() string {
	if !o.drawn {
		return ""
	}
	o.drawn = false
	return eraseLine
}

// liveLine returns what draws the live line, or draws it again; nothing when there is none to draw.
func (o *Observer) liveLine() string {
	if !o.live || o.ended || o.aside > 0 || len(o.runs) == 0 {
		return o.erase()
	}
	width := o.o.Width()
	if width < 1 {
		width = 80
	}
	text := spinner[o.frame%len(spinner)] + " " + o.status(o.runs[len(o.runs)-1])
	if more := len(o.runs) - 1; more > 0 {
		text += fmt.Sprintf(" · and %d more", more)
	}
	o.drawn = true
	// The last column stays free: some terminals go to the next line when it is written.
	return eraseLine + o.style.paint(faint, cut(clean(text), width-1))
}

// status says on one line what a run is doing. What people look for comes first, since the line may
// be cut.
func (o *Observer) status(r *run) string {
	now := o.o.Clock.Now()
	text := ""
	if len(o.runs) > 1 {
		text = r.name + " · "
	}
	if r.iteration > 0 {
		text += fmt.Sprintf("iteration %d · ", r.iteration)
	}
	switch {
	case r.doing == "":
		text += "starting · " + elapsed(now.Sub(r.since))
	case !r.until.IsZero():
		text += fmt.Sprintf("%s %s, until %s", r.doing, remaining(r.until.Sub(now)), o.clockTime(r.until, now))
	default:
		text += r.doing + " · " + elapsed(now.Sub(r.since))
	}
	if r.progress != "" {
		text += " · " + r.progress
	}
	return text
}

// clockTime returns the time of day, with the date when it is of another day.
func (o *Observer) clockTime(t, now time.Time) string {
	t, now = t.In(o.o.Location), now.In(o.o.Location)
	if t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04")
}
