package executor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMovePaths replaces paths of the person's working tree by those of the clone, and no others.
func TestMovePaths(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"no path":                     "no path",
		"/src/shop":                   "/c/tree",
		"Fix /src/shop/a.go:3.":       "Fix /c/tree/a.go:3.",
		"In /src/shop.":               "In /c/tree.",
		"`/src/shop/a` \"/src/shop\"": "`/c/tree/a` \"/c/tree\"",
		"cd /src/shop\nls":            "cd /c/tree\nls",
		"file:///src/shop/a":          "file:///c/tree/a",
		"DIR=/src/shop;":              "DIR=/c/tree;",
		"/src/shop-old /src/shop2":    "/src/shop-old /src/shop2",
		"/src/shop.git /src/shop_":    "/src/shop.git /src/shop_",
		"/home/src/shop x//src/shop":  "/home/src/shop x//src/shop",
	} {
		assert.Equal(t, want, movePaths(in, "/src/shop", "/c/tree"), in)
	}
}
