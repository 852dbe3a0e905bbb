// Package prefilter finds out what is certain about the matches of a regular expression: literals
// of which every match holds one, so that a single pass over a text tells which expressions are
// worth trying, and how long a match can be.
//
// Letters under (?i) become literals that fold ASCII. As U+017F (ſ) folds to s and U+212A (the
// kelvin sign) to k, a text with one of these can match without holding a literal: who searches
// must try every expression on such a text.
package prefilter
