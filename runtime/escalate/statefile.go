package escalate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// stateVersion is the form of [State] that this package writes and reads.
const stateVersion = 1

// stateFile is what is in a file: a state in the parts that are encoded one by one.
type stateFile struct {
	Version int    `json:"version"`
	Run     string `json:"run"`
	// Sum is the SHA-256 of the parts behind it, without spaces and each with a line feed, as
	// hexadecimal digits.
	Sum           string            `json:"sum"`
	State         json.RawMessage   `json:"state"`
	Prerequisites json.RawMessage   `json:"prerequisites"`
	Steps         []json.RawMessage `json:"steps"`
	Path          []json.RawMessage `json:"path"`
}

// damage is why a state cannot be gone on with.
type damage struct{ field, value, expected string }

func (d *damage) Error() string {
	return fmt.Sprintf("%s is %q, expected %s", d.field, d.value, d.expected)
}

// encodeState returns the content of a file. Secrets are masked in all texts of it.
func encodeState(s *State) ([]byte, error) { return new(encoder).encode(s) }

// encode returns the content of a file. Secrets are masked in all texts of it.
func (e *encoder) encode(s *State) ([]byte, error) {
	p, err := e.parts(s)
	if err != nil {
		return nil, err
	}
	size := len(p.head) + len(p.prerequisites)
	for _, list := range [][][]byte{p.steps, p.path} {
		for _, part := range list {
			size += len(part) + 1
		}
	}
	const around = 4 << 10
	if size+around > maxState {
		return nil, errTooLarge
	}
	run, err := json.Marshal(s.Result.Run)
	if err != nil {
		return nil, err
	}
	sum := sumOf(append([][]byte{p.head, p.prerequisites}, append(slices.Clip(p.steps), p.path...)...))
	out := make([]byte, 0, size+around)
	out = fmt.Appendf(out, `{"version":%d,"run":%s,"sum":%q,"state":`, stateVersion, run, sum)
	out = append(append(append(out, p.head...), `,"prerequisites":`...), p.prerequisites...)
	out = appendList(append(out, `,"steps":`...), p.steps)
	out = appendList(append(out, `,"path":`...), p.path)
	return append(out, "}\n"...), nil
}

// appendList appends parts as a list.
func appendList(out []byte, parts [][]byte) []byte {
	out = append(out, '[')
	for i, part := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, part...)
	}
	return append(out, ']')
}

// decodeState reads the content of a file. Its errors are a *damage.
func decodeState(b []byte, run string) (*State, error) {
	if len(b) > maxState {
		return nil, &damage{"size", "too much", "at most " + strconv.Itoa(maxState) + " bytes"}
	}
	var f stateFile
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, &damage{"content", text.Beginning(err.Error(), maxWord), "the JSON that was written"}
	}
	switch {
	case f.Version != stateVersion:
		return nil, &damage{"version", strconv.Itoa(f.Version), strconv.Itoa(stateVersion)}
	case f.Run != run:
		return nil, &damage{"run", text.Beginning(f.Run, maxWord), run}
	case f.sum() != f.Sum:
		return nil, &damage{"sum", text.Beginning(f.Sum, maxWord), "that of the state"}
	}
	s, err := f.state()
	if err != nil {
		return nil, &damage{"state", text.Beginning(err.Error(), maxWord), "the JSON that was written"}
	}
	if d := s.damage(run); d != nil {
		return nil, d
	}
	return s, nil
}

// sum returns the sum of the parts as they are.
func (f *stateFile) sum() string {
	var parts [][]byte
	for _, part := range append([]json.RawMessage{f.State, f.Prerequisites},
		append(slices.Clip(f.Steps), f.Path...)...) {
		var compact bytes.Buffer
		_ = json.Compact(&compact, part) // one that is no JSON at all has no sum that fits
		parts = append(parts, compact.Bytes())
	}
	return sumOf(parts)
}

// state puts the parts together.
func (f *stateFile) state() (*State, error) {
	s := new(State)
	if err := json.Unmarshal(f.State, s); err != nil {
		return nil, err
	}
	if len(f.Prerequisites) > 0 {
		if err := json.Unmarshal(f.Prerequisites, &s.Result.Prerequisites); err != nil {
			return nil, err
		}
	}
	for _, part := range f.Steps {
		var step stepPart
		if err := json.Unmarshal(part, &step); err != nil {
			return nil, err
		}
		s.Result.Steps = append(s.Result.Steps, step.Result)
		s.Steps, s.Parts = with(s.Steps, step.Result.ID, step.Print), with(s.Parts, step.Result.ID, step.Parts)
	}
	for _, part := range f.Path {
		var event Event
		if err := json.Unmarshal(part, &event); err != nil {
			return nil, err
		}
		s.Result.Path = append(s.Result.Path, event)
	}
	return s, nil
}

// with returns a map with one more text in it, unless that is empty.
func with(all map[string]string, key, text string) map[string]string {
	if text == "" {
		return all
	}
	if all == nil {
		all = map[string]string{}
	}
	all[key] = text
	return all
}

// damage returns what cannot be in a state, or nil.
func (s *State) damage(run string) *damage {
	number := func(field string, n, most int) *damage {
		if n >= 0 && n <= most {
			return nil
		}
		return &damage{field, strconv.Itoa(n), "0 to " + strconv.Itoa(most)}
	}
	switch {
	case s.Version != stateVersion:
		return &damage{"version", strconv.Itoa(s.Version), strconv.Itoa(stateVersion)}
	case s.Result.Run != run:
		return &damage{"run", text.Beginning(s.Result.Run, maxWord), run}
	case s.Open != nil && (s.Open.Number < 1 || s.Open.Number > s.Number):
		return &damage{"open.number", strconv.Itoa(s.Open.Number), "1 to " + strconv.Itoa(s.Number)}
	}
	const most = 1 << 30
	for _, d := range []*damage{
		number("step", s.Step, len(s.Result.Steps)), number("turns", s.Turns, most), number("number", s.Number, most),
		number("spent", int(min(s.Spent, most)), most),
	} {
		if d != nil {
			return d
		}
	}
	return nil
}

func sumOf(parts [][]byte) string {
	sum := sha256.New()
	for _, part := range parts {
		sum.Write(part)
		sum.Write([]byte{'\n'})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// maskedTexts returns valid JSON with what looks like a secret masked in each text. Keys stay.
func maskedTexts(b []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(b); i++ {
		if b[i] != '"' {
			continue
		}
		end := textEnd(b, i)
		if shown, changed := maskedText(b[i:end]); changed && !isKey(b, end) {
			out = append(append(out, b[done:i]...), shown...)
			done = end
		}
		i = end - 1
	}
	return append(out, b[done:]...)
}

// textEnd returns where the JSON text ends whose first quote is at i.
func textEnd(b []byte, i int) int {
	for i++; i < len(b) && b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(b))
}

func isKey(b []byte, end int) bool { return end < len(b) && b[end] == ':' }

func maskedText(literal []byte) (shown []byte, changed bool) {
	var text string
	if json.Unmarshal(literal, &text) != nil {
		return nil, false
	}
	masked := taxonomy.Redact(text)
	if masked == text {
		return nil, false
	}
	shown, err := json.Marshal(masked)
	return shown, err == nil
}
