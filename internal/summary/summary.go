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

// UsesVersion is the version of the format of uses.
const UsesVersion = 1

// Uses are the codes that a program handles. The command `errgenvet uses` prints them, and `errgen
// breaking` finds there whom a change concerns.
type Uses struct {
	Version int    `json:"v"`
	Module  string `json:"module"`
	Commit  string `json:"commit,omitempty"`
	// Domains has the domain of each generated package.
	Domains map[string]string `json:"domains"`
	Uses    []Use             `json:"uses"`
}

// Use is a place that handles a code which can arrive there.
type Use struct {
	Package string `json:"package"` // the generated package
	Code    string `json:"code"`    // its value
	How     How    `json:"how"`
	At      string `json:"at"` // file:line
}

// How is the way in which a program handles a code.
type How string

// The ways.
const (
	ByCode      How = "code"      // errors.Is, a case, a comparison
	ByParent    How = "parent"    // the same with a code above it
	ByType      How = "type"      // errors.As, errors.AsType
	ByCategory  How = "category"  // IsOrder, CategoryOf
	ByGroup     How = "group"     // InCustomer
	ByRetryable How = "retryable" // taxonomy.IsRetryable
	ByReaction  How = "reaction"  // retry.ByTable, Table.Reaction
	ByDefault   How = "default"   // the default of a switch over codes
)

// ParseUses reads what errgenvet uses printed.
func ParseUses(text []byte) (*Uses, error) {
	var u Uses
	if err := json.Unmarshal(text, &u); err != nil {
		return nil, fmt.Errorf("not the output of errgenvet uses: %w", err)
	}
	if u.Version != UsesVersion {
		return nil, fmt.Errorf("the format has version %d, and errgen reads %d: print it with an errgenvet of the "+
			"same version", u.Version, UsesVersion)
	}
	return &u, nil
}
