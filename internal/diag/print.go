package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Format is a form in which findings are printed.
type Format string

// The formats.
const (
	// FormatText is for people: the place, the message, the source line with a caret under the
	// token.
	FormatText Format = "text"
	// FormatJSON is one object a line, with the fields of [JSONFinding].
	FormatJSON Format = "json"
	// FormatGitHub is workflow commands, which GitHub shows as annotations.
	FormatGitHub Format = "github"
)

// Formats returns the names of all formats.
func Formats() []string {
	return []string{string(FormatText), string(FormatJSON), string(FormatGitHub)}
}

// ParseFormat returns the format called name.
func ParseFormat(name string) (Format, error) {
	switch f := Format(name); f {
	case FormatText, FormatJSON, FormatGitHub:
		return f, nil
	}
	return "", fmt.Errorf("unknown format %q: use %s", name, strings.Join(Formats(), ", "))
}

// FileFindings are the findings of one file, in the order in which they are printed.
type FileFindings struct {
	Source   *Source
	Findings []Finding
}

// Print writes the findings of files in a format. Whatever the source holds, nothing in it controls
// the terminal or the workflow that reads them.
func Print(w io.Writer, format Format, files ...FileFindings) error {
	one, err := printer(format)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	for _, file := range files {
		for _, f := range file.Findings {
			if err := one(b, file.Source, f); err != nil {
				return fmt.Errorf("print findings: %w", err)
			}
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	return nil
}

func printer(format Format) (func(io.Writer, *Source, Finding) error, error) {
	switch format {
	case FormatText:
		return printText, nil
	case FormatJSON:
		return printJSON, nil
	case FormatGitHub:
		return printGitHub, nil
	}
	return nil, fmt.Errorf("unknown format %q", string(format))
}
