package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// read returns what evidence has for f, before any default: an Opt, or a list that may be nil.
func read(f *model.Field) *jen.Statement {
	switch {
	case f.Type == model.ObjectType:
		return jen.Id(f.Object.Type).Values().Dot("from").Call(jen.Id("ev"))
	case f.Type == model.String && allTexts(f):
		return jen.Qual(pkgDetect, "NonZero").Call(firstText(f, ""))
	case isList(f):
		return first("FirstList", f)
	default:
		return first("First", f)
	}
}

// first makes the choice between the keys that f is filled from.
func first(function string, f *model.Field) *jen.Statement {
	if len(f.From) == 1 {
		return readFrom(f, f.From[0])
	}
	var values []jen.Code
	for _, from := range f.From {
		values = append(values, readFrom(f, from))
	}
	return jen.Qual(pkgDetect, function).Call(values...)
}

// readFrom returns what one key of evidence has for f.
func readFrom(f *model.Field, from string) *jen.Statement {
	switch from {
	case "status":
		return readNumber(f, jen.Qual(pkgDetect, "NonZero").Call(jen.Id("ev").Dot("Status")))
	case "exit_code":
		return readNumber(f, jen.Id("ev").Dot("ExitCode"))
	case "files":
		return jen.Qual(pkgDetect, "ReadStrings").Call(jen.Id("ev").Dot("Files"))
	case "retry_after":
		return jen.Id("ev").Dot("RetryAfter")
	case "reset_at":
		return jen.Qual(pkgDetect, "Instant").Call(jen.Id("ev").Dot("ResetAt"))
	}
	switch f.Type {
	case model.String:
		return jen.Qual(pkgDetect, "NonZero").Call(textOf(from))
	case model.EnumType:
		return jen.Qual(pkgDetect, "ReadWord").Types(jen.Id(f.Enum.Type)).Call(textOf(from), jen.Id(f.Enum.Var))
	default:
		return jen.Qual(pkgDetect, "Read"+typeWord(f)).Call(textOf(from))
	}
}

func readNumber(f *model.Field, number *jen.Statement) *jen.Statement {
	switch f.Type {
	case model.Int64:
		return jen.Qual(pkgDetect, "Widen").Call(number)
	case model.String:
		return jen.Qual(pkgDetect, "Digits").Call(number)
	default:
		return number
	}
}

// textKeys are the parts of evidence that are texts, by the names that `from` gives them.
var textKeys = map[string]string{
	"source": "Source", "op": "Op", "type": "Type", "code": "Code", "signal": "Signal", "errno": "Errno",
	"text":   "Text",
	"output": "Output", "credential": "Credential",
}

// textOf returns the text under a key of evidence.
func textOf(from string) *jen.Statement {
	if name, ok := strings.CutPrefix(from, "attributes."); ok {
		return jen.Id("ev").Dot("Attributes").Index(jen.Lit(name))
	}
	return jen.Id("ev").Dot(textKeys[from])
}

// allTexts reports whether f is filled from texts only.
func allTexts(f *model.Field) bool {
	return len(f.From) > 0 && !slices.Contains(f.From, "status") && !slices.Contains(f.From, "exit_code")
}

// filledText returns what a string's field holds; an empty text counts as none.
func filledText(f *model.Field) jen.Code {
	switch {
	case f.Default != nil:
		return held(f, firstText(f, f.Default.Str))
	case f.Sensitive:
		return jen.Qual(pkgDetect, "Seal").Call(read(f))
	case f.Required:
		return firstText(f, "")
	default:
		return read(f)
	}
}

// firstText returns the first text that is not empty of those that f is filled from, or else the
// given one.
func firstText(f *model.Field, otherwise string) *jen.Statement {
	var texts []jen.Code
	for _, from := range f.From {
		texts = append(texts, textOf(from))
	}
	if otherwise != "" {
		texts = append(texts, jen.Lit(otherwise))
	}
	if len(texts) == 1 {
		return jen.Add(texts[0])
	}
	return jen.Qual(pkgCmp, "Or").Call(texts...)
}
