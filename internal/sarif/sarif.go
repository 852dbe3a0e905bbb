// Package sarif has the parts of the Static Analysis Results Interchange Format, version 2.1.0, that
// errgen writes. Code scanning services read such a log, also one without results.
package sarif

import (
	"net/url"
	"strings"
)

// Log is the document of one run of a command.
type Log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool struct {
		Driver Driver `json:"driver"`
	} `json:"tool"`
	Results []Result `json:"results"`
}

// Driver is the command and the rules of its results.
type Driver struct {
	Name  string `json:"name"`
	Rules []Rule `json:"rules"`
}

// Rule is a kind of result.
type Rule struct {
	ID          string   `json:"id"`
	Description *Message `json:"shortDescription,omitempty"`
}

// Result is a finding.
type Result struct {
	RuleID           string         `json:"ruleId"`
	Level            string         `json:"level"` // error, warning or note
	Message          Message        `json:"message"`
	Locations        []Location     `json:"locations"`
	RelatedLocations []Location     `json:"relatedLocations,omitempty"`
	Properties       map[string]any `json:"properties,omitempty"`
}

// Message is a text.
type Message struct {
	Text string `json:"text"`
}

// Location is a place in a file.
type Location struct {
	Message  *Message `json:"message,omitempty"`
	Physical physical `json:"physicalLocation"`
}

type physical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region *Region `json:"region,omitempty"`
}

// Region is a range of characters in a line. Lines and columns begin at 1; a column of 0 is absent.
type Region struct {
	Line      int `json:"startLine"`
	Column    int `json:"startColumn,omitempty"`
	EndColumn int `json:"endColumn,omitempty"`
}

// New returns the log of a command. Rules of results that the driver does not list are added.
func New(driver Driver, results ...Result) Log {
	known := make(map[string]bool, len(driver.Rules))
	for _, r := range driver.Rules {
		known[r.ID] = true
	}
	for _, r := range results {
		if !known[r.RuleID] {
			known[r.RuleID] = true
			driver.Rules = append(driver.Rules, Rule{ID: r.RuleID})
		}
	}
	if driver.Rules == nil {
		driver.Rules = []Rule{}
	}
	r := run{Results: append([]Result{}, results...)}
	r.Tool.Driver = driver
	return Log{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []run{r}}
}

// At returns a place in a file. A region without a line is the whole file; an empty message is absent.
func At(file string, region Region, message string) Location {
	var l Location
	l.Physical.Artifact.URI = (&url.URL{Path: strings.ReplaceAll(file, `\`, "/")}).String()
	if region.Line > 0 {
		l.Physical.Region = &region
	}
	if message != "" {
		l.Message = &Message{message}
	}
	return l
}
