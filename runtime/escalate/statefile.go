package escalate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// stateVersion is the form of [State] that this package writes and reads.
const stateVersion = 1

// stateFile is what is in a file.
type stateFile struct {
	Version int    `json:"version"`
	Run     string `json:"run"`
	// Sum is the SHA-256 of State without spaces, as hexadecimal digits.
	Sum   string          `json:"sum"`
	State json.RawMessage `json:"state"`
}

// damage is why a state cannot be gone on with.
type damage struct{ field, value, expected string }

func (d *damage) Error() string {
	return fmt.Sprintf("%s is %q, expected %s", d.field, d.value, d.expected)
}

// encodeState returns the content of a file. Secrets are masked in all texts of it.
func encodeState(s *State) ([]byte, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	b = maskedTexts(b)
	out, err := json.Marshal(stateFile{Version: stateVersion, Run: s.Result.Run, Sum: sumOf(b), State: b})
	if err != nil {
		return nil, err
	}
	if len(out) > maxState {
		return nil, errTooLarge
	}
	return append(out, '\n'), nil
}

// decodeState reads the content of a file. Its errors are a *damage.
func decodeState(b []byte, run string) (*State, error) {
	if len(b) > maxState {
		return nil, &damage{"size", "too much", "at most " + strconv.Itoa(maxState) + " bytes"}
	}
	var f stateFile
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, &damage{"content", beginningOf(err.Error()), "the JSON that was written"}
	}
	var compact bytes.Buffer
	switch {
	case f.Version != stateVersion:
		return nil, &damage{"version", strconv.Itoa(f.Version), strconv.Itoa(stateVersion)}
	case f.Run != run:
		return nil, &damage{"run", beginningOf(f.Run), run}
	case json.Compact(&compact, f.State) != nil || sumOf(compact.Bytes()) != f.Sum:
		return nil, &damage{"sum", beginningOf(f.Sum), "that of the state"}
	}
	s := new(State)
	if err := json.Unmarshal(f.State, s); err != nil {
		return nil, &damage{"state", beginningOf(err.Error()), "the JSON that was written"}
	}
	if d := s.damage(run); d != nil {
		return nil, d
	}
	return s, nil
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
		return &damage{"run", beginningOf(s.Result.Run), run}
	case s.Open != nil && (s.Open.Number < 1 || s.Open.Number > s.Number):
		return &damage{"open.number", strconv.Itoa(s.Open.Number), "1 to " + strconv.Itoa(s.Number)}
	}
	const most = 1 << 30
	for _, d := range []*damage{
		number("step", s.Step, len(s.Result.Steps)), number("turns", s.Turns, most), number("number", s.Number, most),
	} {
		if d != nil {
			return d
		}
	}
	return nil
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
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
	masked := taxonomy.Scrub(text)
	if masked == text {
		return nil, false
	}
	shown, err := json.Marshal(masked)
	return shown, err == nil
}
