package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// signalled returns a context that ends with the first signal to end, be it of a person, of the
// system or of a terminal that is closed. An interrupt after that ends the program at once; the
// others may well come twice, and do not.
func signalled(ctx context.Context) (context.Context, context.CancelFunc) {
	// Without this, writing to a pipe that nobody reads any more ends the program with the tree as
	// it is.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	ends := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, insist := signal.NotifyContext(ctx, os.Interrupt)
	ctx, stop := signal.NotifyContext(ctx, ends...)
	context.AfterFunc(ctx, insist)
	return ctx, func() {
		stop()
		insist()
		signal.Stop(broken)
	}
}
