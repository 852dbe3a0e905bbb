package escalate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// scripted is the provider of a tier that plays a script.
type scripted struct {
	world      *world
	name       string
	classifies bool
	script     []turn
	// repeat has the last of the script played for ever.
	repeat  bool
	prompts []string
	gone    error
}

// turn is what a tier does when it is called.
type turn func(ctx context.Context, s *scripted, prompt string) (string, error)

func (s *scripted) Name() string { return s.name }

func (s *scripted) Available(context.Context) error { return s.gone }

func (s *scripted) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	n := len(s.prompts)
	s.prompts = append(s.prompts, req.Prompt)
	if n >= len(s.script) {
		if !s.repeat || len(s.script) == 0 {
			s.world.t.Errorf("tier %s is called %d times, and has a script for %d", s.name, n+1, len(s.script))
			return executor.Answer{}, errors.New("no script")
		}
		n = len(s.script) - 1
	}
	text, err := s.script[n](ctx, s, req.Prompt)
	return executor.Answer{Text: text}, err
}

// writing writes files: path and content in turn.
func (s *scripted) writing(files []string) {
	for i := 0; i+1 < len(files); i += 2 {
		s.world.write(files[i], files[i+1])
	}
}

// does writes files and claims that the step is done.
func does(files ...string) turn {
	return func(_ context.Context, s *scripted, prompt string) (string, error) {
		s.writing(files)
		if s.classifies {
			return block(prompt, `"status":"done"`), nil
		}
		return "I have done it.\nSTEP DONE " + escalate.Mark(prompt), nil
	}
}

// saysFailed writes files and reports a raw failure.
func saysFailed(text string, files ...string) turn {
	return func(_ context.Context, s *scripted, prompt string) (string, error) {
		s.writing(files)
		return text + "\nSTEP FAILED " + escalate.Mark(prompt), nil
	}
}

// labels reports a failure with a label.
func labels(code, details string, more ...string) turn {
	return func(_ context.Context, _ *scripted, prompt string) (string, error) {
		return block(
			prompt, fmt.Sprintf(`"status":"failed","code":%q,"details":%q`, code, details)+strings.Join(more, "")), nil
	}
}

// simply finds a failure simple.
func simply(cause, instructions string, files ...string) turn {
	return func(_ context.Context, s *scripted, prompt string) (string, error) {
		s.writing(files)
		return block(
			prompt, fmt.Sprintf(`"verdict":"simple","cause":%q,"fix":"mend it","instructions":%q`, cause,
				instructions)), nil
	}
}

// complexly finds a failure complex.
func complexly(cause, needed string) turn {
	return func(_ context.Context, _ *scripted, prompt string) (string, error) {
		return block(prompt, fmt.Sprintf(`"verdict":"complex","cause":%q,"needed":%q`, cause, needed)), nil
	}
}

// says answers with a text as it is.
func says(text string) turn {
	return func(context.Context, *scripted, string) (string, error) { return text, nil }
}

// fails is a failure of the tier's own.
func fails(typ string) turn {
	return func(_ context.Context, s *scripted, _ string) (string, error) {
		return "", &taxonomy.Evidence{Source: s.name, Op: "call", Type: typ}
	}
}

// hangs waits for the end of its context.
func hangs(ctx context.Context, _ *scripted, _ string) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

// diagnosing reports that a prompt asks for a diagnosis.
func diagnosing(prompt string) bool { return strings.Contains(prompt, `"verdict":`) }

func block(prompt, keys string) string {
	return "This is what I found.\n```json\n{\"mark\":\"" + escalate.Mark(prompt) + "\"," + keys + "}\n```\n"
}
