// Package detectflag tells evidence on a command line: a flag for each part of it, and the text
// that is piped in.
package detectflag
