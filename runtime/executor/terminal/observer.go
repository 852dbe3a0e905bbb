// Package terminal shows runs to a person.
//
// On a terminal the last line is live: it shows a spinner, the current activity, its elapsed time
// and the rest of a wait. Anywhere else, on Windows, and with TERM=dumb, only plain lines are
// written. NO_COLOR disables colours.
//
//	o := terminal.New(os.Stderr)
//	defer o.Close()
//	executor.New(executor.Config{Observer: o, …})
package terminal

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/retry"
)

// Observer is an [executor.Observer] that writes lines for people. Several runs may share it. It
// replaces control characters, masks secrets, and ignores errors of the writer.
type Observer struct {
	w     io.Writer
	clock retry.Clock
	width func() int // columns of the terminal; nil if the last line is not live
	color bool

	mu    sync.Mutex
	runs  []*run // current runs, the one with the latest event last
	drawn bool   // the live line is on the screen
	aside int    // number of running calls of Aside
	frame int    // number of the spinner's frame
	ended bool   // Close was called

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
func New(w io.Writer) *Observer {
	o := &Observer{w: w, clock: retry.System}
	f, ok := w.(*os.File)
	if !ok || runtime.GOOS == "windows" || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return o
	}
	o.color = os.Getenv("NO_COLOR") == ""
	o.width = func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width < 1 {
			return 80
		}
		return width
	}
	o.begin()
	return o
}

// begin starts drawing the live line.
func (o *Observer) begin() {
	o.stop, o.done = make(chan struct{}), make(chan struct{})
	go o.redraw()
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
	r.update(e, o.clock.Now())
	if e.Kind == executor.RunEnded {
		o.runs = slices.DeleteFunc(o.runs, func(other *run) bool { return other == r })
	}
	var out []byte
	for _, l := range o.lines(e) {
		out = append(out, o.erase()...)
		if l.text = l.indent + text.OneLine(l.text, maxLine); several || len(o.runs) > 1 {
			l.text = e.Run + ": " + l.text
		}
		out = append(out, o.paint(l.color, l.text)+"\n"...)
	}
	o.write(append(out, o.liveLine()...))
}

// maxLine limits the bytes of a line.
const maxLine = 4 << 10

// runOf returns the run of an event, which becomes the last one. It adds a new run.
func (o *Observer) runOf(e executor.Event) *run {
	for i, r := range o.runs {
		if r.name == e.Run {
			o.runs = append(append(o.runs[:i:i], o.runs[i+1:]...), r)
			return r
		}
	}
	r := &run{name: e.Run, since: o.clock.Now()}
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
	case executor.CallEnded, executor.IterationStarted, executor.Waited:
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
	if o.width == nil || o.ended || o.aside > 0 || len(o.runs) == 0 {
		return o.erase()
	}
	s := spinner[o.frame%len(spinner)] + " " + o.status(o.runs[len(o.runs)-1])
	if more := len(o.runs) - 1; more > 0 {
		s += fmt.Sprintf(" · and %d more", more)
	}
	o.drawn = true
	// The last column stays free: some terminals wrap when it is written.
	return eraseLine + o.paint(faint, cut(text.OneLine(s, maxLine), o.width()-1))
}

// status describes the activity of a run. The important parts come first, because the line may be
// cut.
func (o *Observer) status(r *run) string {
	now := o.clock.Now()
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
		parts = append(parts, fmt.Sprintf("%s %s, until %s", r.activity, left, timeOfDay(r.until, now)))
	default:
		parts = append(parts, r.activity, seconds(now.Sub(r.since)))
	}
	if r.progress != "" {
		parts = append(parts, r.progress)
	}
	return strings.Join(parts, " · ")
}

// timeOfDay returns the time of day of t. If t is not today, the date precedes it.
func timeOfDay(t, now time.Time) string {
	if t = t.In(now.Location()); t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04")
}

func seconds(d time.Duration) string { return max(d, 0).Truncate(time.Second).String() }

// redraw draws the live line at each interval, so that its times advance.
func (o *Observer) redraw() {
	defer close(o.done)
	ticker := time.NewTicker(100 * time.Millisecond)
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
	if ended || o.width == nil {
		return nil
	}
	close(o.stop)
	<-o.done
	return nil
}

// write writes b in one call, so that no other output separates its parts.
func (o *Observer) write(b []byte) {
	if len(b) > 0 {
		_, _ = o.w.Write(b)
	}
}
