// Package docs holds errgen's documentation. It has tests only: the examples in the pages must
// load, their tables must name the keys that the parser knows, and their links must lead somewhere.
package docs
