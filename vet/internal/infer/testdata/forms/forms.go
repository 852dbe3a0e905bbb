// Package forms has functions that write the same in different forms.
package forms

import (
	"bufio"
	"bytes"
	"io"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"

	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
)

func many(s string) error {
	switch s {
	case "a":
		return errs.NewNotFound("a")
	case "b":
		return errs.NewExists()
	case "c":
		return errs.NewDBDown()
	case "d":
		return io.EOF
	}
	return nil
}

// want: EXISTS foreign(io.EOF)
func CaseString(s string) error {
	err := many(s)
	switch taxonomy.CodeOf(err) {
	case errs.CodeNotFound.String(), errs.CodeDBDown.String():
		return nil
	}
	return err
}

// want: DB_DOWN
func EqualString(s string) error {
	if err := many(s); errs.CodeDBDown.String() == taxonomy.CodeOf(err) {
		return err
	}
	return nil
}

// want: NOT_FOUND EXISTS DB_DOWN
func HasCode(s string) error {
	if err := many(s); taxonomy.CodeOf(err) != "" {
		return err
	}
	return nil
}

// want: INTERNAL foreign(io.EOF)
func NoCode(s string) error {
	err := many(s)
	if err != nil && taxonomy.CodeOf(err) == "" {
		return err
	}
	return errs.NewInternal()
}

// want: DB_DOWN DB_FAILED
func Evidence(text string) error {
	return errs.ClassifyEvidence(&taxonomy.Evidence{Source: errs.SourceDB.String(), Text: text})
}

// want: DB_DOWN DB_FAILED
func EvidenceValue() error {
	return errs.Classify(taxonomy.Evidence{Source: "db", Type: "network"})
}

// want: GW_DOWN UNEXPECTED
func EvidenceVariable(status int) error {
	e := &taxonomy.Evidence{Source: string(errs.SourceGw)}
	e.Status = status
	return errs.ClassifyEvidence(e)
}

// want: EXISTS DB_DOWN NOT_FOUND foreign(io.EOF)
func Cloned(s string) error {
	list := []error{many(s)}
	return slices.Clone(list)[0]
}

type source struct{}

func (source) Read([]byte) (int, error) { return 0, errs.NewDBDown() }

// want: DB_DOWN foreign(io.ReadAll)
func Nested() error {
	_, err := io.ReadAll(bufio.NewReader(source{}))
	return err
}

// want: DB_DOWN foreign(io.Copy)
func NestedTwice(w *bytes.Buffer) error {
	_, err := io.Copy(w, io.LimitReader(bufio.NewReader(source{}), 10))
	return err
}
