package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// scripted is a tier that plays a script. Its answers are written in a file; what they say about
// files is real: a file that does not exist cannot be read.
type scripted struct {
	tier string

	mu    sync.Mutex
	turns []turn
}

// turn is what the tier does in one call. It is played once, in the first call that it is for.
type turn struct {
	// Step is the step that the call is for. Review makes it the review of the step, or of the plan
	// if there is no step.
	Step   string `yaml:"step"`
	Review bool   `yaml:"review"`
	// Told is a text that the prompt contains.
	Told string `yaml:"told"`
	// Reads are files that must exist; Writes are contents by path.
	Reads  []string          `yaml:"reads"`
	Writes map[string]string `yaml:"writes"`
	// Says is the answer without the claim, Failed a claim of failure.
	Says   string `yaml:"says"`
	Failed bool   `yaml:"failed"`
	// Fails makes the call itself fail.
	Fails *failure `yaml:"fails"`
}

// failure is how a call fails.
type failure struct {
	Status     int           `yaml:"status"`
	RetryAfter time.Duration `yaml:"retry_after"`
}

// loadScript reads the script of a tier.
func loadScript(tier, path string) (*scripted, error) {
	var script struct {
		Turns []turn `yaml:"turns"`
	}
	warnings, err := config.Load(path, &script)
	if err == nil && len(warnings) > 0 {
		err = errors.New(warnings[0])
	}
	return &scripted{tier: tier, turns: script.Turns}, err
}

func (*scripted) Name() string                    { return "scripted" }
func (s *scripted) Credential() string            { return s.tier }
func (*scripted) Available(context.Context) error { return nil }

func (s *scripted) Call(_ context.Context, req executor.Request) (executor.Answer, error) {
	t, ok := s.next(req.Prompt)
	if !ok {
		return executor.Answer{}, &taxonomy.Evidence{Source: s.Name(), Op: "call", Type: "not_found",
			Text: "the script of " + s.tier + " has no turn for this call"}
	}
	if t.Fails != nil {
		ev := &taxonomy.Evidence{Source: s.Name(), Op: "call", Status: t.Fails.Status}
		if t.Fails.RetryAfter > 0 {
			ev.RetryAfter = taxonomy.Some(t.Fails.RetryAfter)
		}
		return executor.Answer{}, ev
	}
	claim := map[bool][2]string{false: {"STEP DONE", "STEP FAILED"}, true: {"REVIEW PASSED", "REVIEW FAILED"}}[t.Review]
	if err := t.play(req.Dir); err != nil {
		return executor.Answer{Text: fmt.Sprintf("Error: %v\n%s %s", err, claim[1], req.Mark)}, nil
	}
	if t.Failed {
		claim[0] = claim[1]
	}
	return executor.Answer{Text: fmt.Sprintf("%s\n%s %s", strings.TrimSpace(t.Says), claim[0], req.Mark)}, nil
}

// next returns the first turn for a prompt, and removes it.
func (s *scripted) next(prompt string) (turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	review := strings.HasPrefix(prompt, "Review ")
	for i, t := range s.turns {
		first, _, _ := strings.Cut(prompt, "\n")
		about := strings.Contains(first, "step "+t.Step+" of a plan")
		if t.Step == "" {
			about = !strings.Contains(first, "step ")
		}
		if t.Review == review && about && strings.Contains(prompt, t.Told) {
			s.turns = append(s.turns[:i:i], s.turns[i+1:]...)
			return t, true
		}
	}
	return turn{}, false
}

// play reads and writes the files of a turn. No path leads out of the working tree.
func (t *turn) play(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range t.Reads {
		if _, err := root.ReadFile(name); err != nil {
			return err
		}
	}
	for name, content := range t.Writes {
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(name, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
