package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/htmlreport"
)

// title is what the page calls itself.
const title = "duyetbot"

// forms are what a report can be, by the ending of its file's name.
var forms = map[string]func(*session, io.Writer) error{
	".csv":  func(s *session, w io.Writer) error { return s.reporter.WriteCSV(w) },
	".json": func(s *session, w io.Writer) error { return s.reporter.WriteJSON(w) },
	".html": func(s *session, w io.Writer) error {
		snapshot := report.NewSnapshot(s.reporter, s.groups)
		snapshot.Title = title
		return htmlreport.Write(w, snapshot, htmlreport.Options{})
	},
	".txt": func(s *session, w io.Writer) error {
		_, err := fmt.Fprintln(w, s.reporter.Summary())
		return err
	},
}

// checkReport reports a name that no report can have.
func checkReport(name string) error {
	if name == "" || forms[strings.ToLower(filepath.Ext(name))] != nil {
		return nil
	}
	endings := []string{".csv", ".html", ".json", ".txt"}
	return fmt.Errorf("-report is %q; its name must end in %s", name, config.Either(slices.Clone(endings)))
}

// writeReport writes what was reported to a file, in the form that its name asks for.
func (s *session) writeReport(name string) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	defer func() {
		if closed := f.Close(); err == nil && closed != nil {
			err = fmt.Errorf("write report: %w", closed)
		}
	}()
	if err := forms[strings.ToLower(filepath.Ext(name))](s, f); err != nil {
		return fmt.Errorf("write report %s: %w", name, err)
	}
	return nil
}
