// Package suggest proposes detect rules for evidence that no rule of a taxonomy matched. It reads
// records, groups what is alike, and writes codes with rules and examples as YAML to paste. It
// never changes a taxonomy.
package suggest
