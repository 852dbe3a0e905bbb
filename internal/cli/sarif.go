package cli

import (
	"cmp"
	"net/url"
	"strings"
)

// sarifLog is a log in the Static Analysis Results Interchange Format, version 2.1.0.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name  string      `json:"name"`
	Rules []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID string `json:"id"`
}

type sarifResult struct {
	RuleID           string          `json:"ruleId"`
	Level            string          `json:"level"`
	Message          sarifMessage    `json:"message"`
	Locations        []sarifLocation `json:"locations"`
	RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
	Properties       map[string]any  `json:"properties,omitempty"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	Message  *sarifMessage `json:"message,omitempty"`
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region sarifRegion `json:"region"`
	} `json:"physicalLocation"`
}

type sarifRegion struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn,omitempty"`
}

// uncoded is the rule of a cause without a code.
const uncoded = "failure"

// sarif returns the causes as results. The location of a result is the place in the program, if the
// log names one, or else the line of the log, which is always a related location.
func sarif(all []*diagnosis) sarifLog {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "errgen triage", Rules: []sarifRule{}}
	known := map[string]bool{}
	for _, d := range all {
		if d.Cause == nil {
			continue
		}
		c := d.Cause
		id := cmp.Or(c.Code, uncoded)
		if !known[id] {
			known[id] = true
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{id})
		}
		inLog := sarifPlace(d.Log, c.Line, 0, "line of the log")
		result := sarifResult{RuleID: id, Level: "error", Message: sarifMessage{c.Text},
			Locations: []sarifLocation{inLog}, RelatedLocations: []sarifLocation{inLog}}
		if c.File != "" {
			result.Locations = []sarifLocation{sarifPlace(c.File, max(c.FileLine, 1), c.Column, "")}
		}
		for _, f := range d.Side {
			side := sarifPlace(d.Log, f.Line, 0, "side failure: "+f.Text)
			result.RelatedLocations = append(result.RelatedLocations, side)
		}
		if d.Traits != nil {
			result.Properties = map[string]any{
				"like": c.Like, "reaction": d.Traits.Reaction.Action, "retryable": d.Traits.Retryable,
			}
		}
		run.Results = append(run.Results, result)
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func sarifPlace(file string, line, column int, message string) sarifLocation {
	var l sarifLocation
	l.Physical.Artifact.URI = (&url.URL{Path: strings.ReplaceAll(file, `\`, "/")}).String()
	l.Physical.Region = sarifRegion{line, column}
	if message != "" {
		l.Message = &sarifMessage{message}
	}
	return l
}
