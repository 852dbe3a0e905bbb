package state

import (
	"errors"
	"fmt"
	"math"
)

const (
	// maxTokens bounds what one attempt can have used, and so does maxCostUSD.
	maxTokens  = most
	maxCostUSD = most / perUSD
	maxPaths   = 1000
)

// errUncategorized stands for a failure that the taxonomy does not know.
var errUncategorized = errors.New("uncategorized")

var (
	errOfRun         = errors.New("an attempt of a run is recorded by its journal")
	errDuration      = errors.New("an attempt cannot take less than no time")
	errTier          = errors.New("a tier is not below 0")
	errTooManyTokens = errors.New("an attempt cannot use so many tokens")
	errNoCost        = errors.New("an attempt cannot cost that")
	errSuccess       = errors.New("an attempt that succeeded has no code and no error, and does not count as a failure")
	errTwoCodes      = errors.New("a code as it is understood needs the one that was written, or is it")
	errLongTexts     = fmt.Errorf("a name is longer than %d bytes", maxName)
)

// check returns why the attempt cannot be recorded.
func (a Attempt) check() error {
	if err := checkTask(a.Task); err != nil {
		return err
	}
	switch {
	case a.Run != "" || a.Iteration != 0:
		return errOfRun
	case a.Duration < 0:
		return fmt.Errorf("%s: %w", a.Duration, errDuration)
	case a.Tier.Or(0) < 0:
		return errTier
	case a.TaskStatus != "" && !a.TaskStatus.known():
		return fmt.Errorf("%q: %w", textMask.Beginning(string(a.TaskStatus), 40), errStatus)
	case a.Success && (a.Code != "" || a.CodeAsWritten != "" || a.Error != "" || a.Counted.Or(false)):
		return errSuccess
	case a.Code != "" && a.CodeAsWritten != "" && a.Code != a.CodeAsWritten:
		return errTwoCodes
	}
	for _, name := range []string{a.Code, a.CodeAsWritten, a.Category, a.Rule, a.Reaction, a.Action, a.Provider,
		a.Fingerprint} {
		if len(name) > maxName {
			return errLongTexts
		}
	}
	return a.checkUsage()
}

func (a Attempt) checkUsage() error {
	for _, n := range []int64{a.Usage.InputTokens.Or(0), a.Usage.OutputTokens.Or(0)} {
		if n < 0 || n > maxTokens {
			return fmt.Errorf("%d: %w", n, errTooManyTokens)
		}
	}
	if c := a.Usage.CostUSD.Or(0); math.IsNaN(c) || c < 0 || c > maxCostUSD {
		return fmt.Errorf("%g: %w", c, errNoCost)
	}
	return nil
}

// clean returns the attempt with its texts masked and bounded.
func (a Attempt) clean() Attempt {
	a.Error = textMask.Beginning(a.Error, maxError)
	a.Output = textMask.Ending(a.Output, maxOutput)
	a.Feedback = textMask.Beginning(a.Feedback, maxOutput)
	for _, name := range []*string{&a.CodeAsWritten, &a.Category, &a.Rule, &a.Reaction, &a.Action, &a.Provider,
		&a.Fingerprint} {
		*name = textMask(*name)
	}
	paths := a.Changed
	a.Changed = nil
	for _, p := range paths[:min(len(paths), maxPaths)] {
		a.Changed = append(a.Changed, textMask.Beginning(p, maxError))
	}
	return a
}
