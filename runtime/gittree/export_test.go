package gittree

import "sync"

// SetBeforeStep makes f called before every git command and every change of a file, one call after
// the other.
func SetBeforeStep(f func(string)) {
	var mu sync.Mutex
	beforeStep = func(step string) {
		mu.Lock()
		defer mu.Unlock()
		f(step)
	}
}
