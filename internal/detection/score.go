package detection

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// None is the class of texts that only speak of failures.
const None = "none"

// maxMessage bounds a line of a file of messages in bytes.
const maxMessage = 1 << 20

// Message is the evidence of a failure, and its class.
type Message struct {
	ID       string
	Class    string
	Evidence taxonomy.Evidence
}

// ReadMessages reads messages, one JSON object a line: text, the member that names the class and,
// if known, id, source, op, status, type, code and exit_code. Without an id it is the number of the
// line.
func ReadMessages(in io.Reader, class string) ([]Message, error) {
	var out []Message
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxMessage)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var all map[string]any
		var m struct {
			ID, Text, Source, Op, Type, Code string
			Status                           int
			ExitCode                         *int `json:"exit_code"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		_ = json.Unmarshal(lines.Bytes(), &all) // it has been read before
		word, ok := all[class].(string)
		if !ok {
			return nil, fmt.Errorf("line %d has no text under %q", n, class)
		}
		ev := taxonomy.Evidence{Source: m.Source, Op: m.Op, Status: m.Status, Type: m.Type, Code: m.Code, Text: m.Text}
		if m.ExitCode != nil {
			ev.ExitCode = taxonomy.Some(*m.ExitCode)
		}
		out = append(out, Message{ID: cmp.Or(m.ID, fmt.Sprintf("line %d", n)), Class: word, Evidence: ev})
	}
	return out, lines.Err()
}

// Score is how a taxonomy classifies the messages of a class.
type Score struct {
	Class string `json:"class"`
	// Code is the right code: the one with the name of the class, or else the most frequent one.
	Code string `json:"code,omitempty"`
	// All are all messages of the class, Right those with the code, and Wrong those with another.
	All   int `json:"all"`
	Right int `json:"right"`
	Wrong int `json:"wrong"`
	// WrongCodes are how often each wrong code was given, and Failed the messages that did not get
	// the right one.
	WrongCodes map[string]int `json:"wrong_codes,omitempty"`
	Failed     []Failed       `json:"failed,omitempty"`
}

// Failed is a message that did not get the right code.
type Failed struct {
	ID   string `json:"id"`
	Code string `json:"code,omitempty"` // the wrong one, or "" if no rule recognised it
	Text string `json:"text,omitempty"`
}

// Recall is the share of messages that get the right code.
func (s *Score) Recall() float64 { return float64(s.Right) / float64(max(s.All, 1)) }

// Scores classifies messages, and returns the scores by class, sorted. A rule that tests only who
// failed, or only how a process ended, recognises nothing. Wanted are the right codes of classes
// whose names are not codes; a class without one gets the most frequent code.
func (j *Judge) Scores(messages []Message, wanted map[string]string) []Score {
	given := make(map[string]map[string]int)
	codes := make([]string, len(messages))
	for i := range messages {
		m := &messages[i]
		v := j.Of(&m.Evidence)
		if v.Rule != nil && recognises(v.Rule) {
			codes[i] = v.Rule.Code.Key
		}
		if given[m.Class] == nil {
			given[m.Class] = make(map[string]int)
		}
		given[m.Class][codes[i]]++
	}
	var out []Score
	at := make(map[string]*Score)
	for _, class := range slices.Sorted(maps.Keys(given)) {
		out = append(out, Score{Class: class, Code: j.rightCode(class, wanted, given[class]),
			WrongCodes: make(map[string]int)})
	}
	for i := range out {
		at[out[i].Class] = &out[i]
	}
	for i, code := range codes {
		s := at[messages[i].Class]
		s.All++
		if code == s.Code {
			s.Right++
			continue
		}
		s.Failed = append(s.Failed, Failed{messages[i].ID, code, messages[i].Evidence.Text})
		if code != "" {
			s.Wrong++
			s.WrongCodes[code]++
		}
	}
	return out
}

func (j *Judge) rightCode(class string, wanted map[string]string, given map[string]int) string {
	if code, ok := wanted[class]; ok || class == None {
		return code
	}
	for _, c := range j.m.Codes {
		if class == c.Key || class == c.Value {
			return c.Key
		}
	}
	best := ""
	for _, code := range slices.Sorted(maps.Keys(given)) {
		if code != "" && given[code] > given[best] || best == "" {
			best = cmp.Or(code, best)
		}
	}
	return best
}

// recognises reports whether a rule tests more than who failed and how a process ended.
func recognises(r *model.Rule) bool {
	return len(r.Like)+len(r.Text)+len(r.Contains) > 0 ||
		slices.ContainsFunc(r.Conditions, func(c detect.Condition) bool {
			switch c.Key {
			case detect.Source, detect.Op, detect.ExitCode, detect.Signal:
				return false
			}
			return c.Presence != detect.Absent
		})
}
