package workspace

import "time"

// Believed reports whether a file's content is taken as known without reading it.
func Believed(g *Git, path string) bool {
	_, ok := g.cache[path]
	return ok
}

// Impatient waits for no lock.
func Impatient(g *Git) { g.patience = 0 }

// Patient waits for a lock of the dead as long as it takes.
func Patient(g *Git) { g.patience = time.Hour }
