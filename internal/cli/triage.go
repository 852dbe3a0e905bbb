package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/explain"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sarif"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/detect/triage"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/signatures"
)

// exitRetry is the status of a triage whose cause has the reaction retry: EX_TEMPFAIL of sysexits.
const exitRetry = 75

// errRetry ends a triage with [exitRetry].
var errRetry = errors.New("retry")

func triageFlags(fs *flag.FlagSet, o *options) {
	fs.StringVar(&o.taxonomy, "taxonomy", "",
		"classify by the taxonomy `FILE`; the built-in one has a code for each signature")
	fs.StringVar(&o.profile, "profile", "", "classify and react under the profile `NAME`")
	fs.StringVar(&o.evidence.Source, "source", "", "the source of the log: a `NAME` under sources")
	fs.Func("exit", "the exit status of the job, a `NUMBER`, if the log does not contain it", func(s string) error {
		n, err := parseNumber(s, -1<<31, 1<<31-1)
		o.outcome = triage.Failed
		if n == 0 {
			o.outcome = triage.Succeeded
		}
		return err
	})
	fs.StringVar(&o.record, "record", "", "append a cause that no rule matches to the record `FILE`")
	o.choice(fs, "print as `FORM`: text, json, sarif (2.1.0) or github (annotations)", diag.FormatText, diag.FormatJSON,
		diag.FormatSARIF, diag.FormatGitHub)
}

// diagnosis is the result of the triage of a log.
type diagnosis struct {
	Log     string           `json:"log"`
	Outcome triage.Outcome   `json:"outcome"`
	Lines   int              `json:"lines"` // of the log
	Cause   *causeLine       `json:"cause,omitempty"`
	Side    []sideFailure    `json:"side_failures,omitempty"`
	Traits  *explain.Traits  `json:"traits,omitempty"`
	reacts  *taxonomy.Traits // nil without a code
}

// causeLine is the line that is the cause.
type causeLine struct {
	Line     int    `json:"line"`
	Text     string `json:"text"` // the line, secrets masked
	Code     string `json:"code,omitempty"`
	Category string `json:"category,omitempty"`
	Like     string `json:"like,omitempty"` // the signature
	Message  string `json:"message,omitempty"`
	// Context are the fields of the error, as JSON.
	Context json.RawMessage `json:"context,omitempty"`
	// File, FileLine and Column are the place in the program that the line names.
	File     string `json:"file,omitempty"`
	FileLine int    `json:"file_line,omitempty"`
	Column   int    `json:"column,omitempty"`
}

// sideFailure is a failure that is not the cause.
type sideFailure struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Like string `json:"like,omitempty"`
}

// triage finds the causes of the failures of jobs in their logs.
func (s *session) triage(o *options, args []string) error {
	if len(args) == 0 {
		args = []string{stdinArg}
	}
	l, err := s.triageTaxonomy(o, args)
	if err != nil {
		return err
	}
	profile, err := profileNamed(l, o.profile)
	if err != nil {
		return err
	}
	var record *detect.Record
	if o.record != "" {
		if record, err = detect.OpenRecord(s.path(o.record), detect.RecordOptions{Now: s.Now}); err != nil {
			return fmt.Errorf("triage: %w", cause(err))
		}
		defer func() { _ = record.Close() }()
	}
	found, retry := false, true
	var all []*diagnosis
	for _, name := range args {
		d, err := s.diagnose(l, profile, o, record, name)
		if err != nil {
			return err
		}
		if d.Cause != nil || d.Outcome == triage.Failed {
			found = true
			retry = retry && d.reacts != nil && d.reacts.Reaction.Retries()
		}
		all = append(all, d)
	}
	if err := s.printDiagnoses(o.format, all); err != nil {
		return err
	}
	switch {
	case !found:
		return nil
	case retry:
		return errRetry
	}
	return errFindings
}

// triageTaxonomy returns the taxonomy of the flags, or the built-in one.
func (s *session) triageTaxonomy(o *options, args []string) (*loaded, error) {
	if err := s.readsInputOnce(o.taxonomy, args); err != nil {
		return nil, err
	}
	if o.taxonomy != "" {
		return s.valid([]string{o.taxonomy})
	}
	text, err := builtinTaxonomy()
	if err != nil {
		return nil, err
	}
	l := loadSource("built-in taxonomy", text)
	if l.model == nil {
		return nil, s.faults(l.source, l.findings)
	}
	return l, nil
}

// transient are the signatures of failures after which another run may succeed unchanged.
const transient = ` rate_limit quota_per_minute overloaded throttled too_many_requests server_error bad_gateway
	unavailable gateway_timeout dns_failure connection_refused connection_reset unreachable connection_timeout
	connection_failed timeout tls_interrupted proxy_failure serialization_failure deadlock database_locked
	connection_lost too_many_connections statement_timeout lock_held git_lock grpc_unavailable grpc_deadline_exceeded
	grpc_resource_exhausted `

// builtinTaxonomy returns the taxonomy of triage: a code for each signature of the library. Its
// name is that of the signature in upper case.
func builtinTaxonomy() ([]byte, error) {
	list, err := signatures.Library()
	if err != nil {
		return nil, err
	}
	words := " " + strings.Join(strings.Fields(transient), " ") + " "
	var b strings.Builder
	b.WriteString(`errgen: 1
package: ci
policies: {rerun: {max_attempts: 3, initial_delay: 30s, max_delay: 10m, jitter: 0.2}}
reactions: {rerun: {action: retry, policy: rerun, then: abort}}
fields:
  reason: {type: string, from: text, scrub: true, max_length: 300}
categories:
`)
	family := ""
	for _, x := range list {
		if x.Family != family {
			family = x.Family
			fmt.Fprintf(&b, "  %s:\n    codes:\n", family)
		}
		fmt.Fprintf(&b, "      %s: {message: '%s[: {reason:first_line}]', detect: [{like: %s}]",
			strings.ToUpper(x.Name), strings.ReplaceAll(x.Name, "_", " "), x.Name)
		if strings.Contains(words, " "+x.Name+" ") {
			b.WriteString(", retryable: true, reaction: rerun")
		}
		b.WriteString("}\n")
	}
	return []byte(b.String()), nil
}

// diagnose reads one log.
func (s *session) diagnose(l *loaded, profile *model.Profile, o *options, record *detect.Record,
	name string) (*diagnosis, error) {
	in, err := s.open(name)
	if err != nil {
		return nil, fmt.Errorf("read log: %s: %w", diag.Printable(name), cause(err))
	}
	defer func() { _ = in.Close() }()
	return newDiagnosis(l, profile, o, record, displayed(name), in)
}

func newDiagnosis(l *loaded, profile *model.Profile, o *options, record *detect.Record, name string,
	in io.Reader) (*diagnosis, error) {
	m := l.model
	options := []detect.Option{detect.WithSource(taxonomy.SourceName(o.evidence.Source))}
	if profile != nil {
		options = append(
			options, detect.WithTable(taxonomy.Table{Overlay: &taxonomy.Profile{Detection: profile.Detection}}))
	}
	if record != nil {
		options = append(options, detect.OnUnmatched(record))
	}
	rules := detection.Rules(m)
	found, err := rules.Log(in, o.outcome, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", diag.Printable(name), err)
	}
	d := &diagnosis{Log: name, Outcome: found.Outcome, Lines: found.Lines}
	for _, f := range found.Side {
		d.Side = append(d.Side, sideFailure{f.Line, maskedLine(f.Text), f.Class.Name})
	}
	if found.Cause == nil {
		return d, nil
	}
	ev := &found.Evidence
	d.Cause = &causeLine{Line: found.Cause.Line, Text: maskedLine(found.Cause.Text), File: ev.Attributes["file"]}
	d.Cause.FileLine, _ = strconv.Atoi(ev.Attributes["line"]) // numbers, or empty
	d.Cause.Column, _ = strconv.Atoi(ev.Attributes["column"])
	var rule *model.Rule
	if found.Rule != detect.NoRule {
		rule = detection.Ranked(m)[found.Rule]
		if like := rules.Rules[found.Rule].Like; like != nil {
			d.Cause.Like = like.Name
		}
	}
	code, context := detection.Fill(m, rule, ev)
	if code == nil {
		return d, nil
	}
	row := code.RowFor(context)
	traits := row.Traits
	d.Traits = new(explain.Traits)
	*d.Traits = explain.TraitsOf(m, nil, traits)
	if profile != nil {
		traits = m.Under(profile, row)
		*d.Traits = explain.TraitsOf(m, profile.Profile, traits)
	}
	d.reacts = &traits
	e := made(&taxonomy.Taxonomy{Domain: m.Domain}, code, context, ev, traits.Retryable)
	d.Cause.Code, d.Cause.Category, d.Cause.Message = code.Value, code.Category.Name, e.Error()
	d.Cause.Context = e.AppendContext(nil)
	return d, nil
}

// maskedLine returns a line of a log for output, secrets masked.
func maskedLine(text string) string {
	const shown = 500
	text = taxonomy.Redact(text)
	if len(text) > shown {
		text = strings.ToValidUTF8(text[:shown], "") + "…"
	}
	return strings.TrimSpace(diag.Printable(text))
}

func (s *session) printDiagnoses(format diag.Format, all []*diagnosis) error {
	if format == diag.FormatSARIF {
		return s.json(sarifLog(all))
	}
	for _, d := range all {
		var err error
		switch format {
		case diag.FormatJSON:
			err = s.json(d)
		case diag.FormatGitHub:
			err = s.write([]byte(d.annotation()))
		default:
			err = s.write(escapeControls([]byte(d.text())))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *diagnosis) text() string {
	if d.Cause == nil {
		if d.Outcome == triage.Failed {
			return fmt.Sprintf("%s: the job failed; no line with its cause was found\n", d.Log)
		}
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: %s", d.Log, d.Cause.Line, cmp.Or(d.Cause.Code, "no code"))
	if d.Cause.Like != "" {
		fmt.Fprintf(&b, " (like %s)", d.Cause.Like)
	}
	if d.Traits != nil {
		retryable := "not retryable"
		if d.Traits.Retryable {
			retryable = "retryable"
		}
		fmt.Fprintf(&b, "   reaction: %s, %s", d.Traits.Reaction.Action, retryable)
	}
	b.WriteString("\n  ")
	if strings.HasPrefix(d.Cause.Text, "::") { // a workflow command of GitHub begins the line
		fmt.Fprintf(&b, "%d: ", d.Cause.Line)
	}
	fmt.Fprintf(&b, "%s\n", d.Cause.Text)
	if len(d.Side) > 0 {
		var sides []string
		for _, f := range d.Side {
			side := fmt.Sprintf("%d %s", f.Line, f.Like)
			if f.Like == "" {
				side = fmt.Sprintf("%d %s", f.Line, firstRunes(f.Text, 60))
			}
			sides = append(sides, side)
		}
		fmt.Fprintf(&b, "  %s: %s\n", count(len(sides), "side failure", "side failures"), strings.Join(sides, ", "))
	}
	// GitHub reads these commands, those of Azure Pipelines, anywhere in a line.
	return strings.ReplaceAll(b.String(), "##[", "# #[")
}

func firstRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// annotation returns a workflow command of GitHub.
func (d *diagnosis) annotation() string {
	if d.Cause == nil {
		return ""
	}
	title, message := cmp.Or(d.Cause.Code, uncoded), fmt.Sprintf("%s\n%s:%d", d.Cause.Text, d.Log, d.Cause.Line)
	return diag.Annotation(diag.Error, d.Cause.File, d.Cause.place(), title, message)
}

// place returns the place in the program that the line names. It is empty without a file.
func (c *causeLine) place() sarif.Region {
	if c.File == "" {
		return sarif.Region{}
	}
	return sarif.Region{Line: max(c.FileLine, 1), Column: c.Column}
}

// uncoded is the rule of a cause without a code.
const uncoded = "failure"

// sarifLog returns the causes as results. The location of a result is the place in the program, if
// the log names one, or else the line of the log, which is always a related location.
func sarifLog(all []*diagnosis) sarif.Log {
	var results []sarif.Result
	for _, d := range all {
		if d.Cause == nil {
			continue
		}
		c := d.Cause
		inLog := sarif.At(d.Log, sarif.Region{Line: c.Line}, "line of the log")
		result := sarif.Result{RuleID: cmp.Or(c.Code, uncoded), Level: "error", Message: sarif.Message{Text: c.Text},
			Locations: []sarif.Location{inLog}, RelatedLocations: []sarif.Location{inLog}}
		if c.File != "" {
			result.Locations = []sarif.Location{sarif.At(c.File, c.place(), "")}
		}
		for _, f := range d.Side {
			side := sarif.At(d.Log, sarif.Region{Line: f.Line}, "side failure: "+f.Text)
			result.RelatedLocations = append(result.RelatedLocations, side)
		}
		if d.Traits != nil {
			result.Properties = map[string]any{
				"like": c.Like, "reaction": d.Traits.Reaction.Action, "retryable": d.Traits.Retryable,
			}
		}
		results = append(results, result)
	}
	return sarif.New(sarif.Driver{Name: "errgen triage"}, results...)
}
