package retry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// snapshotVersion is that of the form in which an Adaptive is kept.
const snapshotVersion = 1

// snapshot is what is kept. Both lists begin with what was not heard of for longest.
type snapshot struct {
	Version  int           `json:"errgen_adaptive"`
	Seed     uint64        `json:"seed,string"`
	Codes    []codeForm    `json:"codes"`
	Policies []learnedForm `json:"policies"`
}

type codeForm struct {
	Code     string `json:"code"`
	Outcomes uint64 `json:"outcomes"`
}

type learnedForm struct {
	Policy string `json:"policy"`
	Code   string `json:"code"`
	// Calls are the outcomes of the second call, of the third and so on: 1 for a success, the
	// oldest first.
	Calls []string `json:"calls"`
	// Delay is the level of the staircase in seconds; 0 before its first step.
	Delay  float64     `json:"delay,omitempty"`
	Turns  int         `json:"turns,omitempty"`
	Up     bool        `json:"up,omitempty"`
	Trials []trialForm `json:"trials,omitempty"`
}

type trialForm struct {
	Later     bool          `json:"later,omitempty"`
	Wait      time.Duration `json:"wait"`
	Succeeded bool          `json:"succeeded"`
}

// MarshalJSON returns all that was learned, and the seed.
func (a *Adaptive) MarshalJSON() ([]byte, error) {
	if a == nil {
		return []byte("null"), nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	form := snapshot{Version: snapshotVersion, Seed: a.seed, Codes: []codeForm{}, Policies: []learnedForm{}}
	for _, code := range byAge(a.codes, func(c *heardCode) uint64 { return c.last }) {
		form.Codes = append(form.Codes, codeForm{Code: code, Outcomes: a.codes[code].outcomes})
	}
	for _, of := range byAge(a.pairs, func(l *learned) uint64 { return l.last }) {
		form.Policies = append(form.Policies, a.pairs[of].form(of))
	}
	return json.Marshal(form)
}

// byAge returns the keys, that which was not heard of for longest first.
func byAge[K comparable, V any](m map[K]V, last func(V) uint64) []K {
	return slices.SortedFunc(maps.Keys(m), func(x, y K) int { return cmp.Compare(last(m[x]), last(m[y])) })
}

func (l *learned) form(of pair) learnedForm {
	f := learnedForm{
		Policy: of.policy, Code: of.code, Calls: []string{}, Delay: l.level, Turns: l.turns, Up: l.up,
	}
	for i := range l.calls {
		f.Calls = append(f.Calls, l.calls[i].text())
	}
	for _, t := range l.trials {
		f.Trials = append(f.Trials, trialForm{Later: t.later, Wait: t.wait, Succeeded: t.succeeded})
	}
	return f
}

// UnmarshalJSON replaces all that was learned, and the seed, by a snapshot. With an error nothing
// has changed.
func (a *Adaptive) UnmarshalJSON(b []byte) error {
	if bytes.Equal(bytes.TrimSpace(b), []byte("null")) {
		return nil
	}
	if a == nil {
		return errors.New("read what retries have taught: nowhere to put it")
	}
	var form snapshot
	if err := json.Unmarshal(b, &form); err != nil {
		return fmt.Errorf("read what retries have taught: %w", err)
	}
	read, err := form.read()
	if err != nil {
		return fmt.Errorf("read what retries have taught: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seed, a.heard, a.codes, a.pairs = read.seed, read.heard, read.codes, read.pairs
	return nil
}

// taught is what a snapshot holds.
type taught struct {
	seed, heard uint64
	codes       map[string]*heardCode
	pairs       map[pair]*learned
}

func (s *snapshot) read() (*taught, error) {
	if s.Version != snapshotVersion {
		return nil, fmt.Errorf("version %d, not %d", s.Version, snapshotVersion)
	}
	if n := max(len(s.Codes), len(s.Policies)); n > maxLearned {
		return nil, fmt.Errorf("%d entries; there are at most %d", n, maxLearned)
	}
	t := &taught{seed: s.Seed, codes: make(map[string]*heardCode), pairs: make(map[pair]*learned)}
	for i, c := range s.Codes {
		if !isLearnedName(c.Code) || t.codes[c.Code] != nil {
			return nil, fmt.Errorf("codes[%d]: no name, too long a one, or one that was there before", i)
		}
		t.heard++
		t.codes[c.Code] = &heardCode{outcomes: c.Outcomes, last: t.heard}
	}
	for i, f := range s.Policies {
		of := pair{f.Policy, f.Code}
		if !isLearnedName(of.policy) || !isLearnedName(of.code) || t.pairs[of] != nil {
			return nil, fmt.Errorf("policies[%d]: no names, too long ones, or some that were there before", i)
		}
		l, err := f.read()
		if err != nil {
			return nil, fmt.Errorf("policies[%d]: %w", i, err)
		}
		t.heard++
		l.last = t.heard
		t.pairs[of] = l
	}
	return t, nil
}

func isLearnedName(s string) bool { return s != "" && isLearnable(s) }

func (f *learnedForm) read() (*learned, error) {
	l := &learned{stairs: stairs{level: f.Delay, turns: f.Turns, up: f.Up}}
	switch {
	case f.Delay < 0 || f.Delay > time.Duration(math.MaxInt64).Seconds():
		return nil, errors.New("a delay that cannot be")
	case f.Turns < 0 || f.Turns > maxTurns:
		return nil, errors.New("turns that cannot be")
	case len(f.Calls) > maxCounted-1 || len(f.Trials) > maxTrials:
		return nil, errors.New("more outcomes than are kept")
	}
	for _, text := range f.Calls {
		w, err := windowFrom(text)
		if err != nil {
			return nil, err
		}
		l.calls = append(l.calls, w)
	}
	for _, t := range f.Trials {
		if t.Wait < 0 {
			return nil, errors.New("a wait that cannot be")
		}
		l.trials = append(l.trials, trial{later: t.Later, wait: t.Wait, succeeded: t.Succeeded})
	}
	return l, nil
}

// text is the outcomes as digits, the oldest first.
func (w *window) text() string {
	out := make([]byte, w.made)
	for i := range out {
		age := w.made - 1 - i
		out[i] = '0' + byte(w.words[age/64]>>(age%64)&1)
	}
	return string(out)
}

func windowFrom(text string) (window, error) {
	var w window
	if len(text) > maxWindow {
		return w, errors.New("more outcomes than are kept")
	}
	for i := range len(text) {
		if text[i] != '0' && text[i] != '1' {
			return w, errors.New("an outcome that is neither 0 nor 1")
		}
		w.add(text[i] == '1')
	}
	return w, nil
}
