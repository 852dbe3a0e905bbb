// Package scripted is a tier that plays a script: what it says stands in a file, and what it does
// is done. It changes real files, runs real commands, and fails as a tier can fail.
//
//	replies:
//	  - step: "2.3"
//	    role: execute
//	    do:
//	      - read: CLAUDE.md
//	      - write: reports/2.3.md
//	        text: |
//	          # How agents work here
//	    say: |
//	      I have written the report.
//	      STEP DONE {mark}
//	    failed: |
//	      Error: File not found: {error}
//	      STEP FAILED {mark}
//	  - step: "2.4"
//	    fail: {as: rate_limit, retry_after: 200ms}
//
// A reply is given once, or as often as times says, to the first call that it is for. The mark is
// what the prompt asks for in a report.
package scripted

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/escalate"
)

// script is a file of replies.
type script struct {
	Replies []reply `yaml:"replies"`
}

// reply is what the tier does and says when it is called.
type reply struct {
	// Step and Role say for which calls it is; empty is any.
	Step string        `yaml:"step"`
	Role escalate.Role `yaml:"role"`
	// Told has it given only when the prompt has this text.
	Told string `yaml:"told"`
	// Times is how often it is given; 0 is once.
	Times int `yaml:"times"`
	// Do is done in its order, until something fails.
	Do []action `yaml:"do"`
	// Say is the answer when all of it was done, Failed when something was not; without one, what
	// failed is said as it is.
	Say    string `yaml:"say"`
	Failed string `yaml:"failed"`
	// Fail has the call itself fail, in place of an answer, after what is to be done.
	Fail  *failing `yaml:"fail"`
	Usage usage    `yaml:"usage"`
}

// action is one thing that is done: one of them.
type action struct {
	// Read, List, Write and Remove are paths of files in the working tree; Read and List only look
	// whether they are there.
	Read   string `yaml:"read"`
	List   string `yaml:"list"`
	Write  string `yaml:"write"`
	Remove string `yaml:"remove"`
	// Text is what is written.
	Text string `yaml:"text"`
	// Run is a program and its arguments.
	Run []string `yaml:"run"`
}

// failing is how a call fails.
type failing struct {
	As         string        `yaml:"as"`
	RetryAfter time.Duration `yaml:"retry_after"`
	// Text is what is said of it; empty is what such a failure usually says.
	Text string `yaml:"text"`
}

// usage is what a call costs; 0 is unknown.
type usage struct {
	Input  int64   `yaml:"input"`
	Output int64   `yaml:"output"`
	Cost   float64 `yaml:"cost"`
}

// What a tier is asked for besides the roles of a step.
const (
	Review     escalate.Role = "review"      // to look at what another tier has done for a step
	ReviewPlan escalate.Role = "review_plan" // to look at the plan
)

// The ways to fail.
const (
	rateLimit  = "rate_limit"
	overloaded = "overloaded"
	down       = "down"
	hang       = "hang"
)

var (
	ways  = []string{rateLimit, overloaded, down, hang}
	roles = []string{string(escalate.Execute), string(escalate.Diagnose), string(escalate.Fix), string(Review),
		string(ReviewPlan)}
)

// Validate is asked by the configuration's loader.
func (s *script) Validate() []config.Problem {
	if len(s.Replies) == 0 {
		return []config.Problem{{Field: "replies", Expected: "at least one reply"}}
	}
	return nil
}

// Validate is asked by the configuration's loader.
func (r *reply) Validate() []config.Problem {
	var p config.Findings
	p.Word("role", string(r.Role), roles)
	p.NotNegative("times", int64(r.Times))
	if r.Fail == nil && r.Say == "" && len(r.Do) == 0 {
		p = append(
			p, config.Problem{Field: "say", Expected: "what the tier answers, or something to do, or a way to fail"})
	}
	if r.Fail != nil && (r.Say != "" || r.Failed != "") {
		p = append(p, config.Problem{Field: "fail", Expected: "no answer beside it, since a call that fails has none"})
	}
	return p
}

// Validate is asked by the configuration's loader.
func (a *action) Validate() []config.Problem {
	count := 0
	for _, path := range []string{a.Read, a.List, a.Write, a.Remove} {
		if path != "" {
			count++
		}
	}
	if len(a.Run) > 0 {
		count++
	}
	switch {
	case count != 1:
		return []config.Problem{{Expected: "one of read, list, write, remove and run"}}
	case a.Text != "" && a.Write == "":
		return []config.Problem{{Field: "text", Expected: "a file to write it to"}}
	case len(a.Run) > 0 && a.Run[0] == "":
		return []config.Problem{{Field: "run", Expected: "a program and its arguments"}}
	}
	return nil
}

// Validate is asked by the configuration's loader.
func (f *failing) Validate() []config.Problem {
	var p config.Findings
	if !slices.Contains(ways, f.As) {
		p = append(p, config.Problem{Field: "as", Expected: config.Either(ways)})
	}
	p.NotNegative("retry_after", int64(f.RetryAfter))
	return p
}

// Load reads the script of a tier from a YAML file.
func Load(path string, o Options) (*Provider, error) {
	var s script
	warnings, err := config.Load(path, &s, config.Verbatim())
	if err != nil {
		return nil, err
	}
	if len(warnings) > 0 {
		return nil, fmt.Errorf("read script: %s", joined(warnings))
	}
	return &Provider{options: o, replies: s.Replies, given: make([]int, len(s.Replies))}, nil
}

// joined says every warning: in a script an unknown key is a mistake.
func joined(all config.Warnings) string {
	var texts []string
	for _, w := range all {
		texts = append(texts, w.String())
	}
	return strings.Join(texts, "\n")
}
