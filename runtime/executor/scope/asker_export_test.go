package scope

// AwaitLine waits until the read of an earlier question has ended.
func AwaitLine(a *Asker) { a.lines <- <-a.lines }
