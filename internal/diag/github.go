package diag

import (
	"fmt"
	"io"
	"strings"
)

func printGitHub(w io.Writer, src *Source, f Finding) error {
	props := "file=" + escapeProperty(src.display())
	if f.Span.Valid() {
		props += fmt.Sprintf(",line=%d,col=%d,endColumn=%d", f.Span.Line, f.Span.Col, f.Span.Col+max(f.Span.Len, 1))
	}
	message := printable(f.Message)
	if f.Hint != "" {
		message += "\n" + printable(f.Hint)
	}
	for _, r := range f.Related {
		message += fmt.Sprintf("\nline %d: %s", r.Span.Line, printable(r.Message))
	}
	_, err := fmt.Fprintf(w, "::%s %s,title=%s::%s\n", f.Severity, props, escapeProperty(f.ID), escapeData(message))
	return err
}

// escapeData escapes the message of a workflow command, as the runner undoes it.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty escapes a property of a workflow command.
func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
