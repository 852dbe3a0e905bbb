package text

import "regexp"

// markerLine matches a line of several words in capitals, or the word BLOCKED. Text can follow after
// a colon.
var markerLine = regexp.MustCompile(`(?m)^[ \t]*(BLOCKED|[A-Z]+([_ ][A-Z]+)+)[ \t]*(:.*)?$`)

// QuoteMarkers puts "| " before each line that an agent could end its answer with, such as
// "TASK_COMPLETE" or "BLOCKED: why". So the line does not count if an answer quotes its prompt.
func QuoteMarkers(s string) string { return markerLine.ReplaceAllString(s, "| $0") }
