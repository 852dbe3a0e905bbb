// Package summary describes generated packages to static analysis. The generator writes a [Package]
// as the constant errgenSummary, the generated tests compare it with the table, and errgenvet reads
// it.
package summary

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Const is the name of the constant of a generated package.
const Const = "errgenSummary"

// Version is the version of the format. A reader accepts no other one, because a summary that is
// misread would turn into errors that seem impossible.
const Version = 1

// Package describes a generated package.
type Package struct {
	Version int    `json:"v"`
	Domain  string `json:"domain,omitempty"`
	Codes   []Code `json:"codes"`
	// Categories and Groups are the predicates, such as IsOrder, with their category or group.
	Categories map[string]string `json:"categories"`
	Groups     map[string]string `json:"groups,omitempty"`
	// Fallback is the code of evidence that no rule matches. SourceFallbacks are those of sources.
	Fallback        string            `json:"fallback,omitempty"`
	SourceFallbacks map[string]string `json:"sourceFallbacks,omitempty"`
	// Public is the code that clients see in place of an internal one, or "".
	Public string `json:"public,omitempty"`
	// Operations are the calls that the program offers, in the order of the taxonomy.
	Operations []Operation `json:"operations,omitempty"`
}

// Operation describes an operation, with the values of all public codes in which it can end.
type Operation struct {
	Name  string   `json:"name"`
	HTTP  string   `json:"http,omitempty"` // the method and the path, as a pattern of net/http
	RPC   string   `json:"rpc,omitempty"`  // the full method: shop.v1.Orders/Get
	Codes []string `json:"codes"`
}

// Code describes a code.
type Code struct {
	Const    string   `json:"const"`
	Value    string   `json:"value"`
	Type     string   `json:"type"`              // of its errors
	Factory  string   `json:"factory,omitempty"` // empty if the code is abstract
	Category string   `json:"category"`
	Parent   string   `json:"parent,omitempty"` // the value of the code above this one
	Groups   []string `json:"groups,omitempty"`
	Public   bool     `json:"public,omitempty"`
	// Retryable is Yes, No or Depends.
	Retryable string `json:"retryable"`
	// Rules has, for each distinct detection rule, the sources that it requires; an empty list is a
	// rule for any source.
	Rules [][]string `json:"rules,omitempty"`
}

// The values of [Code.Retryable].
const (
	Yes     = "yes"
	No      = "no"
	Depends = "depends" // the branches of the code differ
)

// JSON returns v as JSON that a raw Go string can contain.
func JSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types of this package always have a JSON form
	}
	return strings.ReplaceAll(string(b), "`", `\u0060`)
}

// Parse reads the constant of a generated package.
func Parse(text string) (*Package, error) {
	var p Package
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return nil, fmt.Errorf("%s is damaged, generate the package again: %w", Const, err)
	}
	if p.Version != Version {
		return nil, fmt.Errorf("%s has version %d, and errgenvet reads %d: generate the package and install "+
			"errgenvet with the same version of errgen", Const, p.Version, Version)
	}
	return &p, nil
}
