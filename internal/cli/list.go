package cli

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
)

func listCommand() *command {
	return &command{
		name: "list", args: "[taxonomy.yaml]", max: 1,
		summary: "print the codes of a taxonomy as a table",
		details: `
List prints the codes of a taxonomy in the order of the file. Where "when" branches change a value, the values
are given in their order with a slash between them. With -format json each code is an object on a line.`,
		flags: func(fs *flag.FlagSet, o *options) {
			o.choice(fs, "print as `FORM`: text or json", diag.FormatText, diag.FormatJSON)
		},
		run: (*session).list,
	}
}

func (s *session) list(o *options, args []string) error {
	l, err := s.valid(args)
	if err != nil {
		return err
	}
	if o.format == diag.FormatJSON {
		for _, c := range l.model.Codes {
			if err := s.json(explainCodeOf(l.model, c)); err != nil {
				return err
			}
		}
		return nil
	}
	return s.write(codeTable(l.model))
}

func codeTable(m *model.Package) []byte {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { _, _ = fmt.Fprintln(w, strings.Join(cells, "\t")) } // a buffer takes everything
	row("CODE", "CATEGORY", "RETRYABLE", "SEVERITY", "REACTION", "NUMBER")
	for _, c := range m.Codes {
		number := "-"
		if c.Number != 0 {
			number = strconv.Itoa(c.Number)
		}
		row(
			c.Value, c.Category.Name,
			each(c, func(t model.Traits) string { return yesNo(t.Retryable) }),
			each(c, func(t model.Traits) string { return word(severityWords, t.Severity) }),
			each(c, func(t model.Traits) string {
				return cmp.Or(declaredName(t.Reaction), word(actionWords, t.Reaction.Action))
			}),
			number,
		)
	}
	_ = w.Flush()
	return b.Bytes()
}

// each returns what a code's rows say, each answer once.
func each(c *model.Code, answer func(model.Traits) string) string {
	answers := []string{answer(c.Row.Traits)}
	for _, b := range c.When {
		if a := answer(b.Row.Traits); !slices.Contains(answers, a) {
			answers = append(answers, a)
		}
	}
	for i, a := range answers {
		if a == "" {
			answers[i] = "-"
		}
	}
	return strings.Join(answers, "/")
}
