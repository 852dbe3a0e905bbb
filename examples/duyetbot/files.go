package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/htmlreport"

	"bot.example.com/duyetbot/errs"
)

// title is the title of the report's page.
const title = "duyetbot"

// forms are the formats of a report, by the extension of its file.
var forms = map[string]func(*session, io.Writer) error{
	".csv":  func(s *session, w io.Writer) error { return s.reporter.WriteCSV(w) },
	".json": func(s *session, w io.Writer) error { return s.reporter.WriteJSON(w) },
	".html": func(s *session, w io.Writer) error {
		snapshot := report.NewSnapshot(s.reporter, s.groups)
		snapshot.Title, snapshot.Runs = title, s.runs.All()
		return htmlreport.Write(w, snapshot, htmlreport.Options{Table: errs.Table})
	},
	".txt": func(s *session, w io.Writer) error {
		_, err := fmt.Fprintln(w, s.reporter.Summary())
		return err
	},
}

// checkReport returns an error if the file's extension is not that of a report.
func checkReport(name string) error {
	if name == "" || forms[strings.ToLower(filepath.Ext(name))] != nil {
		return nil
	}
	endings := []string{".csv", ".html", ".json", ".txt"}
	return fmt.Errorf("-report is %q; its name must end in %s", name, config.Either(slices.Clone(endings)))
}

// writeReport writes the report in the format of the file's extension. The file is replaced when
// the report is complete. A symbolic link is replaced and not followed.
func (s *session) writeReport(name string) error {
	f, err := beside(name)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	err = forms[strings.ToLower(filepath.Ext(name))](s, f)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write report %s: %w", name, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// beside creates a temporary file in the directory of the named file.
func beside(name string) (*os.File, error) {
	dir, base := filepath.Split(name)
	return os.OpenFile(filepath.Join(dir, "."+base+"."+rand.Text()+".tmp"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// checkWritable returns an error if the report cannot be written. It is called before the first
// skill runs.
func checkWritable(name string) error {
	if name == "" {
		return nil
	}
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0 {
		return fmt.Errorf("write report: %s is not a file", name)
	}
	f, err := beside(name)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
