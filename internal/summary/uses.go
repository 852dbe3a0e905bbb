package summary

import (
	"encoding/json"
	"fmt"
)

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
