package scope

// AwaitLine returns when the read that a question has left behind has ended.
func AwaitLine(a *Asker) { a.lines <- <-a.lines }
