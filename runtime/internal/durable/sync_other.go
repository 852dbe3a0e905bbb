//go:build !unix

package durable

// SyncDir does nothing: here a directory cannot be synced.
func SyncDir(string) error { return nil }
