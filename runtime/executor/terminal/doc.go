// Package terminal shows a run to whoever sits before it.
//
// On a terminal the last line lives: it has a spinner, what is going on, for how long, and how long
// a wait still takes. Everywhere else, in a file, a pipe, or with TERM=dumb, there are plain lines
// only. NO_COLOR takes the colours away.
//
//	o := terminal.New(os.Stderr, terminal.Options{})
//	defer o.Close()
//	executor.New(executor.Config{Observer: o, …})
package terminal
