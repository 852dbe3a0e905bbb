// Package durable writes files that are whole after a crash, and takes locks that end with their
// process.
package durable
