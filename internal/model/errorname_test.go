package model_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/model"
)

func TestParseErrorName(t *testing.T) {
	for text, want := range map[string]model.ErrorName{
		"io.EOF":                             {Path: "io", Name: "EOF"},
		"*encoding/json.SyntaxError":         {Path: "encoding/json", Name: "SyntaxError", Pointer: true},
		"github.com/jackc/pgx/v5.ErrNoRows":  {Path: "github.com/jackc/pgx/v5", Name: "ErrNoRows"},
		"*gopkg.in/yaml.v3.TypeError":        {Path: "gopkg.in/yaml.v3", Name: "TypeError", Pointer: true},
		"example.org/~user/go_lib-2/x+y.Err": {Path: "example.org/~user/go_lib-2/x+y", Name: "Err"},
		"":                                   {},
		"EOF":                                {},
		"io.eof":                             {},
		"io.":                                {},
		".EOF":                               {},
		"./local.Err":                        {},
		"../local.Err":                       {},
		"example.org/../local.Err":           {},
		"example.org/.hidden.Err":            {},
		"example.org/a./b.Err":               {},
		"/root.Err":                          {},
		"-flag.Err":                          {},
		"example.org/-x.Err":                 {},
		"C.Err":                              {},
		"a\"; import \"os\".Err":             {},
		"io.EOF)":                            {},
		"io.EOF\n":                           {},
		"example.org/ü.Err":                  {},
		"**net.OpError":                      {},
		"example.org/a//b.Err":               {},
		"example.org/a/.Err":                 {},
		"io.Err[int]":                        {},
		"github.com/jackc/pgx/v5\u2028x.ErrNoRows": {},
	} {
		got, err := model.ParseErrorName(text)
		assert.Equal(t, want, got, text)
		assert.Equal(t, want == model.ErrorName{}, err != nil, text)
	}
}

func TestSameError(t *testing.T) {
	assert.True(t, model.SameError("os.ErrNotExist", "io/fs.ErrNotExist"))
	assert.True(t, model.SameError("*io/fs.PathError", "*os.PathError"))
	assert.False(t, model.SameError("io.EOF", "io.ErrUnexpectedEOF"))
}
