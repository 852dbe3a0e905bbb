package terminal

import (
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
)

// Options change how runs are shown. The zero Options find out what w is.
type Options struct {
	// Clock tells elapsed time and countdowns; nil is [retry.System]. It should be the executor's
	// own.
	Clock retry.Clock
	// Live says whether there is a line that is drawn again; nil looks whether w is a terminal.
	Live *bool
	// Color says whether there are colours; nil has them in a live display, unless NO_COLOR is set.
	Color *bool
	// Width returns the columns of the terminal; nil asks it. Anything below 1 is 80.
	Width func() int
	// Interval is how often the live line is drawn; 100 ms.
	Interval time.Duration
	// Location is where times of day are told; nil is the local one.
	Location *time.Location
}

// Observer is an [executor.Observer] that writes for people. Several runs may share it. What it is
// told is untrusted: control characters in it are replaced, secrets masked. Errors of the writer
// are passed over.
type Observer struct {
	mu    sync.Mutex
	w     io.Writer
	o     Options
	live  bool
	style style
	runs  []*run // under way, the one that was heard last at the end
	drawn bool   // there is a live line on the screen
	aside int    // how many have the terminal for themselves
	frame int
	ended bool

	stop chan struct{}
	done chan struct{}
}

var _ executor.Observer = (*Observer)(nil)

// New returns an observer that writes to w. It is to be closed.
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
	obs := &Observer{w: w, live: isLive(w)}
	if o.Live != nil {
		obs.live = *o.Live
	}
	obs.style.color = obs.live && os.Getenv("NO_COLOR") == ""
	if o.Color != nil {
		obs.style.color = *o.Color
	}
	if o.Width == nil {
		o.Width = widthOf(w)
	}
	obs.o = o
	if obs.live {
		obs.stop, obs.done = make(chan struct{}), make(chan struct{})
		go obs.redraw()
	}
	return obs
}

// isLive reports whether w is a terminal that knows how to erase a line.
func isLive(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd())) && understandsEscapes(f)
}

func widthOf(w io.Writer) func() int {
	f, ok := w.(*os.File)
	if !ok {
		return func() int { return 0 }
	}
	return func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 0
		}
		return width
	}
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
	lines := o.lines(e, r)
	r.take(e, o.o.Clock.Now())
	if e.Kind == executor.RunEnded {
		o.forget(r)
	}
	var out []byte
	for _, l := range lines {
		out = append(out, o.erase()...)
		if several || len(o.runs) > 1 {
			l.text = e.Run + ": " + l.text
		}
		out = append(out, o.style.paint(l.mood, cut(clean(l.text), maxColumns))...)
		out = append(out, '\n')
	}
	o.write(append(out, o.liveLine()...))
}

// maxColumns is how long a line is that stays; a terminal breaks it.
const maxColumns = 1000

// runOf returns what is known of the run of e, which is now the one that was heard last.
func (o *Observer) runOf(e executor.Event) *run {
	for i, r := range o.runs {
		if r.name == e.Run {
			o.runs = append(append(o.runs[:i:i], o.runs[i+1:]...), r)
			return r
		}
	}
	now := o.o.Clock.Now()
	r := &run{name: e.Run, began: now, since: now}
	if e.Kind != executor.RunEnded {
		o.runs = append(o.runs, r)
	}
	return r
}

func (o *Observer) forget(gone *run) {
	for i, r := range o.runs {
		if r == gone {
			o.runs = append(o.runs[:i:i], o.runs[i+1:]...)
			return
		}
	}
}

// redraw draws the live line again, so that its times go on.
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

// Aside runs f without a live line on the terminal, so that f can ask a person something there.
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

// Close erases the live line and ends what draws it. Closing twice does nothing.
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

// write writes at once, so that nobody else's lines come between. Nobody could be told of an error.
func (o *Observer) write(b []byte) {
	if len(b) > 0 {
		_, _ = o.w.Write(b)
	}
}
