package model

// Template is a message in pieces.
type Template struct {
	Parts []Part
}

// Part is a piece of a template: text, a placeholder, or a group in brackets that falls away as a
// whole when a field in it is absent or empty.
type Part struct {
	Text   string // of a text part
	Field  *Field // of a placeholder
	Cause  bool   // the placeholder is {cause}
	Format Format
	Group  []Part // of a group: texts and placeholders only
}

// Format is how a placeholder shows its value.
type Format uint8

// The formats.
const (
	Plain     Format = iota
	Count            // :count, the length of a list
	FirstLine        // :first_line
	Seconds          // :seconds, of a duration
	Quoted           // :quoted
	Millis           // :duration, of a number of milliseconds
)
