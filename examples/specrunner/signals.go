package main

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// endings are the signals by which people end the work. A program that is to outlive its terminal,
// as nohup has it, is not ended by the terminal's end.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// talkToNobody has the work go on when nobody reads any more what it prints, which would otherwise
// end the process in the midst of an attempt. The signal is caught and not ignored, since programs
// that are started would then ignore it, too.
func (p *cli) talkToNobody() (restore func()) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGPIPE)
	p.out, p.hints = &lenient{p.out}, &lenient{p.hints}
	return func() { signal.Stop(caught) }
}

// lenient is a writer for which it is no failure that nobody reads.
type lenient struct{ w io.Writer }

func (l *lenient) Write(b []byte) (int, error) {
	n, err := l.w.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		return len(b), nil
	}
	return n, err
}
