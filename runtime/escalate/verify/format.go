package verify

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/internal/text"
)

// format reads a file as what it should be.
func (l *looking) format() *unmet {
	names := map[string]string{"json": "JSON", "csv": "CSV", "xml": "XML", "utf-8": "UTF-8"}
	name, known := names[l.k.Text]
	if !known {
		return &unmet{kind: typeFormat, expected: "a known format", actual: "the format " + named(l.k.Text)}
	}
	data, err := contents(l.ctx, l.root, l.name, l.maxRead)
	if err != nil {
		return l.unread(typeFormat, name, err)
	}
	if err = malformed(l.ctx, l.k.Text, data); err != nil {
		return &unmet{kind: typeFormat, expected: name, actual: "a file that is not: " + err.Error()}
	}
	return nil
}

// malformed says why data are not of a format, or nil.
func malformed(ctx context.Context, format string, data []byte) error {
	if at := invalidUTF8(data); at >= 0 {
		return fmt.Errorf("byte %d is not UTF-8", at+1)
	}
	switch format {
	case "json":
		return malformedJSON(data)
	case "csv":
		return malformedCSV(ctx, withoutMark(data))
	case "xml":
		return malformedXML(ctx, withoutMark(data))
	}
	return nil
}

// withoutMark returns data without the mark by which some programs begin texts in UTF-8.
func withoutMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\uFEFF")) }

// invalidUTF8 returns where the first byte is that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}

// errEmpty says that there is nothing in a file.
var errEmpty = errors.New("it is empty")

func malformedJSON(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errEmpty
	}
	var raw json.RawMessage
	err := json.Unmarshal(data, &raw)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("byte %d: %s", syntax.Offset, text.OneLine(syntax.Error(), maxSaid))
	}
	return err
}

// malformedCSV reads records, which must have as many fields as the first.
func malformedCSV(ctx context.Context, data []byte) error {
	in := csv.NewReader(bytes.NewReader(data))
	in.ReuseRecord = true
	for n := 0; ; n++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_, err := in.Read()
		if errors.Is(err, io.EOF) {
			if n == 0 {
				return errEmpty
			}
			return nil
		}
		if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
			return fmt.Errorf("line %d: %s", wrong.Line, text.OneLine(wrong.Err.Error(), maxSaid))
		}
		if err != nil {
			return err
		}
	}
}

// malformedXML reads elements, of which there must be one that holds all others.
func malformedXML(ctx context.Context, data []byte) error {
	in := xml.NewDecoder(bytes.NewReader(data))
	depth, roots := 0, 0
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			if roots == 0 {
				return errors.New("it has no element")
			}
			return nil
		}
		if wrong, ok := errors.AsType[*xml.SyntaxError](err); ok {
			return fmt.Errorf("line %d: %s", wrong.Line, text.OneLine(wrong.Msg, maxSaid))
		}
		if err != nil {
			return errors.New(text.OneLine(err.Error(), maxSaid))
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth == 1 {
				roots++
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if depth == 0 && len(bytes.TrimSpace(t)) > 0 {
				return errors.New("there is text outside of its element")
			}
		}
		if roots > 1 {
			return errors.New("it has more than one outermost element")
		}
	}
}
