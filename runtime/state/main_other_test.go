//go:build !linux

package state

// systemChildren are children that need a system which this is not.
var systemChildren map[string]func([]string) error
