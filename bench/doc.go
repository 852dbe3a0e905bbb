// Package bench compares generated errors with other error libraries, in one run: the same error made,
// recognised through three wraps, and marshalled. It is a module of its own, so that those libraries
// never reach the go.mod of errgen or of its users.
//
//	go test -bench . -benchmem
package bench
