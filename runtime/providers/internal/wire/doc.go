// Package wire is what providers over HTTP have in common: it checks whom they ask, watches a
// request and its response beside the SDK that makes them, with bounds and without the key, and
// says as evidence how they failed.
package wire
