// Package bench compares generated errors with other error libraries, in one run: the same error
// made, recognised through three wraps, and marshalled; and retry.Do with other libraries that try
// again: a call that succeeds, and one that fails once. It is a module of its own, so that those
// libraries never reach the go.mod of errgen or of its users.
//
//	go test -bench . -benchmem
package bench
