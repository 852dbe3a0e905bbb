package predict

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	snapshotVersion = 1
	// largestSnapshot bounds what is read, in bytes.
	largestSnapshot = 64 << 20
	// rounding is by how much sums of weights may be more than they can be.
	rounding = 1 + 1e-9
	// mostCalls bounds what is believed of numbers of calls.
	mostCalls = 1 << 53
)

type savedModel struct {
	Version   int             `json:"version"`
	All       []savedCell     `json:"all,omitempty"`
	Providers []savedProvider `json:"providers,omitempty"`
}

type savedProvider struct {
	Name    string         `json:"name"`
	Calls   int            `json:"calls"`
	Last    string         `json:"last,omitempty"`
	At      time.Time      `json:"at,omitzero"`
	Weights [views]float64 `json:"weights"`
	Long    []savedCell    `json:"long,omitempty"`
	Burst   []savedCell    `json:"burst,omitempty"`
	Steps   []savedStep    `json:"steps,omitempty"`
}

type savedStep struct {
	After  string                       `json:"after,omitempty"`
	All    []savedCell                  `json:"all,omitempty"`
	Paused [len(pauses) + 1][]savedCell `json:"paused"`
}

type savedCell struct {
	Code   string  `json:"code,omitempty"`
	Weight float64 `json:"weight"`
	Seen   int     `json:"seen"`
}

// MarshalJSON writes down all that the model knows; what it was made with is not part of it. Equal
// models are written equally.
func (m *Model) MarshalJSON() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	saved := savedModel{Version: snapshotVersion, All: saveCounts(m.all)}
	for _, p := range m.providers {
		saved.Providers = append(saved.Providers, p.save())
	}
	slices.SortFunc(saved.Providers, func(a, b savedProvider) int { return cmp.Compare(a.Name, b.Name) })
	return json.Marshal(saved)
}

// UnmarshalJSON replaces all that the model knows by what MarshalJSON wrote, made smaller where the
// model's options allow less. Of what cannot have been written by it nothing is taken, and the
// model is as before. The model must come from [New].
func (m *Model) UnmarshalJSON(b []byte) error {
	if m.options.MaxProviders == 0 {
		return errors.New("read model: it was not made with New")
	}
	if len(b) > largestSnapshot {
		return fmt.Errorf("read model: %d bytes are more than %d", len(b), largestSnapshot)
	}
	var saved savedModel
	if err := json.Unmarshal(b, &saved); err != nil {
		return fmt.Errorf("read model: %w", err)
	}
	if saved.Version != snapshotVersion {
		return fmt.Errorf("read model: version %d is not %d", saved.Version, snapshotVersion)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	loaded := Model{options: m.options, long: m.long, short: m.short, providers: map[string]*provider{}}
	if err := loaded.load(saved); err != nil {
		return fmt.Errorf("read model: %w", err)
	}
	m.all, m.providers = loaded.all, loaded.providers
	return nil
}

func (p *provider) save() savedProvider {
	saved := savedProvider{
		Name: p.name, Calls: p.calls, Last: p.last, At: p.at, Weights: p.weights, Long: saveCounts(p.long),
		Burst: saveCounts(p.burst),
	}
	for _, s := range p.steps {
		step := savedStep{After: s.after, All: saveCounts(s.all)}
		for i, c := range s.paused {
			step.Paused[i] = saveCounts(c)
		}
		saved.Steps = append(saved.Steps, step)
	}
	return saved
}

// saveCounts keeps the order, so that what is read sums up to the same as what was written.
func saveCounts(c counts) []savedCell {
	var out []savedCell
	for _, cell := range c.cells {
		out = append(out, savedCell{Code: cell.code, Weight: cell.weight, Seen: cell.seen})
	}
	return out
}

func (m *Model) load(saved savedModel) (err error) {
	if m.all, err = m.loadLong(saved.All, mostCalls); err != nil {
		return fmt.Errorf("all: %w", err)
	}
	if len(saved.Providers) > mostProviders {
		return fmt.Errorf("%d providers are more than %d", len(saved.Providers), mostProviders)
	}
	for _, s := range saved.Providers {
		p, err := m.loadProvider(s)
		if err != nil {
			return fmt.Errorf("provider %q: %w", name(s.Name), err)
		}
		if m.providers[p.name] != nil {
			return fmt.Errorf("provider %q is there twice", p.name)
		}
		if len(m.providers) >= m.options.MaxProviders {
			m.dropOldest()
		}
		m.providers[p.name] = p
	}
	return nil
}

func (m *Model) loadProvider(s savedProvider) (p *provider, err error) {
	p = &provider{name: name(s.Name), last: name(s.Last), at: s.At, calls: s.Calls, weights: s.Weights}
	if p.calls < 1 || p.calls > mostCalls {
		return nil, fmt.Errorf("there cannot be %d calls", p.calls)
	}
	if err := checkWeights(p.weights); err != nil {
		return nil, err
	}
	if p.long, err = m.loadLong(s.Long, p.calls); err != nil {
		return nil, fmt.Errorf("long: %w", err)
	}
	if p.burst, err = m.loadCounts(s.Burst, p.calls, heaviest(m.short)); err != nil {
		return nil, fmt.Errorf("burst: %w", err)
	}
	if len(s.Steps) > mostCodes {
		return nil, fmt.Errorf("%d steps are more than %d", len(s.Steps), mostCodes)
	}
	for _, saved := range s.Steps {
		after := name(saved.After)
		if p.step(after) != nil {
			return nil, fmt.Errorf("steps after %q are there twice", after)
		}
		if err := m.loadStep(p.stepAfter(after, m.options.MaxCodes), saved, p.calls-1); err != nil {
			return nil, fmt.Errorf("steps after %q: %w", after, err)
		}
	}
	return p, nil
}

func (m *Model) loadStep(s *step, saved savedStep, calls int) (err error) {
	if s.all, err = m.loadLong(saved.All, calls); err != nil {
		return err
	}
	for i, cells := range saved.Paused {
		if s.paused[i], err = m.loadLong(cells, calls); err != nil {
			return err
		}
	}
	return nil
}

// loadLong reads counts that fall by the factor of the long run. A model whose half-life is shorter
// believes them no more than what it could have learnt itself.
func (m *Model) loadLong(saved []savedCell, calls int) (counts, error) {
	c, err := m.loadCounts(saved, calls, heaviest(halved(mostHalfLife)))
	if most := heaviest(m.long); c.total > most*rounding {
		c.fade(most / c.total)
		c.sum()
	}
	return c, err
}

// heaviest is what weights that fall by the factor with each call come to together, however many
// calls there are.
func heaviest(factor float64) float64 { return 1 / (1 - factor) }

// loadCounts reads what has been learnt from so many calls at most, and cannot weigh more together
// than most.
func (m *Model) loadCounts(saved []savedCell, calls int, most float64) (counts, error) {
	var c counts
	seen, weight := 0, 0.0
	for _, s := range saved {
		cell := cell{code: name(s.Code), weight: s.Weight, seen: s.Seen}
		switch {
		case cell.seen < 1 || cell.seen > calls-seen:
			return counts{}, fmt.Errorf("%q cannot have been seen %d times", cell.code, cell.seen)
		case !(cell.weight >= negligible && cell.weight <= float64(cell.seen)):
			return counts{}, fmt.Errorf("%q cannot weigh %g", cell.code, cell.weight)
		case c.find(cell.code) >= 0:
			return counts{}, fmt.Errorf("%q is there twice", cell.code)
		}
		seen += cell.seen
		weight += cell.weight
		if len(c.cells) >= m.options.MaxCodes {
			c.dropLightest()
		}
		c.cells = append(c.cells, cell)
	}
	if weight > most*rounding {
		return counts{}, fmt.Errorf("outcomes cannot weigh %g together", weight)
	}
	c.sum()
	return c, nil
}

// checkWeights refuses weights of views that no call can have left.
func checkWeights(weights [views]float64) error {
	sum := 0.0
	for _, w := range weights {
		if !(w >= shareMoved/views/rounding && w <= 1) {
			return fmt.Errorf("a view cannot count %g", w)
		}
		sum += w
	}
	if math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("views cannot count %g together", sum)
	}
	return nil
}
