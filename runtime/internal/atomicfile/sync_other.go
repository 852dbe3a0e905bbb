//go:build !unix

package atomicfile

// SyncDir does nothing: here a directory cannot be synced.
func SyncDir(string) error { return nil }
