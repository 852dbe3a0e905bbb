// Package terminal shows runs to a person.
//
// On a terminal the last line is live: it shows a spinner, the current activity, its elapsed time
// and the rest of a wait. Anywhere else, and with TERM=dumb, only plain lines are written. NO_COLOR
// disables colours.
//
//	o := terminal.New(os.Stderr, terminal.Options{})
//	defer o.Close()
//	executor.New(executor.Config{Observer: o, …})
package terminal

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
)

// Options change the display. The zero Options fit the writer.
type Options struct {
	// Clock is the clock of elapsed time and countdowns; retry.System by default.
	Clock retry.Clock
	// Live enables the live line. By default it is enabled if the writer is a terminal.
	Live *bool
	// Color enables colours. By default they follow Live, unless NO_COLOR is set.
	Color *bool
	// Width returns the columns of the terminal. By default it queries the terminal. A width below
	// 1 means 80.
	Width func() int
	// Interval is the time between updates of the live line; 100 ms by default.
	Interval time.Duration
	// Location is the time zone of times of day; the local one by default.
	Location *time.Location
}

// Observer is an [executor.Observer] that writes lines for people. Several runs may share it. It
// replaces control characters, masks secrets, and ignores errors of the writer.
type Observer struct {
	mu    sync.Mutex
	w     io.Writer
	o     Options
	live  bool
	color bool
	runs  []*run // current runs, the one with the latest event last
	drawn bool   // the live line is on the screen
	aside int    // number of running calls of Aside
	frame int
	ended bool

	stop chan struct{}
	done chan struct{}
}

var _ executor.Observer = (*Observer)(nil)

// run is the part of a run that the live line shows.
type run struct {
	name      string
	since     time.Time // when the activity began
	iteration int
	activity  string
	progress  string
	until     time.Time // of a wait
}

// New returns an observer that writes to w. The caller closes it.
func New(w io.Writer, o Options) *Observer {
	if o.Clock == nil {
		o.Clock = retry.System
	}
	if o.Interval <= 0 {
		o.Interval = 100 * time.Millisecond
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	f, _ := w.(*os.File)
	obs := &Observer{w: w, live: f != nil && isLive(f)}
	if o.Live != nil {
		obs.live = *o.Live
	}
	obs.color = obs.live && os.Getenv("NO_COLOR") == ""
	if o.Color != nil {
		obs.color = *o.Color
	}
	if o.Width == nil {
		o.Width = func() int {
			if f == nil {
				return 0
			}
			width, _, err := term.GetSize(int(f.Fd()))
			if err != nil {
				return 0
			}
			return width
		}
	}
	obs.o = o
	if obs.live {
		obs.stop, obs.done = make(chan struct{}), make(chan struct{})
		go obs.redraw()
	}
	return obs
}

// isLive reports whether f is a terminal that can erase a line.
func isLive(f *os.File) bool {
	return os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd())) && understandsEscapes(f)
}

// Observe shows e. After [Observer.Close] it does nothing.
func (o *Observer) Observe(e executor.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	several := len(o.runs) > 1
	r := o.runOf(e)
	r.update(e, o.o.Clock.Now())
	if e.Kind == executor.RunEnded {
		o.runs = slices.DeleteFunc(o.runs, func(other *run) bool { return other == r })
	}
	var out []byte
	for _, l := range o.lines(e) {
		out = append(out, o.erase()...)
		if several || len(o.runs) > 1 {
			l.text = e.Run + ": " + l.text
		}
		out = append(out, o.paint(l.color, cut(clean(l.text), maxColumns))+"\n"...)
	}
	o.write(append(out, o.liveLine()...))
}

// maxColumns limits a line that stays; a terminal wraps it.
const maxColumns = 1000

func (o *Observer) runOf(e executor.Event) *run {
	for i, r := range o.runs {
		if r.name == e.Run {
			o.runs = append(append(o.runs[:i:i], o.runs[i+1:]...), r)
			return r
		}
	}
	r := &run{name: e.Run, since: o.o.Clock.Now()}
	if e.Kind != executor.RunEnded {
		o.runs = append(o.runs, r)
	}
	return r
}

// update applies e to the run.
func (r *run) update(e executor.Event, now time.Time) {
	if e.Iteration != 0 {
		r.iteration = e.Iteration
	}
	begin := func(activity string) {
		r.since, r.activity, r.progress, r.until = now, activity, "", time.Time{}
	}
	switch e.Kind {
	case executor.CallStarted:
		begin("calling " + e.Source)
	case executor.Progressed:
		r.progress = e.Text
	case executor.Waiting:
		begin("waiting")
		r.progress, r.until = e.Text, e.Until
	case executor.Paused:
		begin("paused")
	case executor.CallEnded, executor.IterationStarted, executor.Unpaused, executor.Waited:
		begin("working")
	}
}

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

const eraseLine = "\r\x1b[K"

// erase returns the output that erases the live line. It may be empty.
func (o *Observer) erase() string {
	if !o.drawn {
		return ""
	}
	o.drawn = false
	return eraseLine
}

// liveLine returns the output that draws the live line, or erases it if no run is shown.
func (o *Observer) liveLine() string {
	if !o.live || o.ended || o.aside > 0 || len(o.runs) == 0 {
		return o.erase()
	}
	width := o.o.Width()
	if width < 1 {
		width = 80
	}
	s := spinner[o.frame%len(spinner)] + " " + o.status(o.runs[len(o.runs)-1])
	if more := len(o.runs) - 1; more > 0 {
		s += fmt.Sprintf(" · and %d more", more)
	}
	o.drawn = true
	// The last column stays free: some terminals wrap when it is written.
	return eraseLine + o.paint(faint, cut(clean(s), width-1))
}

// status describes the activity of a run, the important parts first because the line may be cut.
func (o *Observer) status(r *run) string {
	now := o.o.Clock.Now()
	var parts []string
	if len(o.runs) > 1 {
		parts = append(parts, r.name)
	}
	if r.iteration > 0 {
		parts = append(parts, fmt.Sprintf("iteration %d", r.iteration))
	}
	switch {
	case r.activity == "":
		parts = append(parts, "starting", seconds(now.Sub(r.since)))
	case !r.until.IsZero():
		left := seconds(r.until.Sub(now) + time.Second - 1)
		parts = append(parts, fmt.Sprintf("%s %s, until %s", r.activity, left, o.timeOfDay(r.until, now)))
	default:
		parts = append(parts, r.activity, seconds(now.Sub(r.since)))
	}
	if r.progress != "" {
		parts = append(parts, r.progress)
	}
	return strings.Join(parts, " · ")
}

// timeOfDay returns the time of day of t. If t is not today, the date precedes it.
func (o *Observer) timeOfDay(t, now time.Time) string {
	t, now = t.In(o.o.Location), now.In(o.o.Location)
	if t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04")
}

// seconds returns "5s", "1m05s" or "2h03m".
func seconds(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s%3600/60)
}

// redraw draws the live line at each interval, so that its times advance.
func (o *Observer) redraw() {
	defer close(o.done)
	ticker := time.NewTicker(o.o.Interval)
	defer ticker.Stop()
	for {
		select {
		case <-o.stop:
			return
		case <-ticker.C:
			o.mu.Lock()
			o.frame++
			o.write([]byte(o.liveLine()))
			o.mu.Unlock()
		}
	}
}

// Aside runs f without a live line, so that f can ask a person on the terminal.
func (o *Observer) Aside(f func()) {
	o.mu.Lock()
	o.aside++
	o.write([]byte(o.erase()))
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		o.aside--
		o.write([]byte(o.liveLine()))
		o.mu.Unlock()
	}()
	f()
}

// Close erases the live line and stops drawing it. Closing twice does nothing.
func (o *Observer) Close() error {
	o.mu.Lock()
	ended := o.ended
	o.ended = true
	if !ended {
		o.write([]byte(o.erase()))
	}
	o.mu.Unlock()
	if ended || !o.live {
		return nil
	}
	close(o.stop)
	<-o.done
	return nil
}

// write writes everything in one call, so that no other output gets between.
func (o *Observer) write(b []byte) {
	if len(b) > 0 {
		_, _ = o.w.Write(b)
	}
}
