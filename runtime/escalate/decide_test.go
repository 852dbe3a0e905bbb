package escalate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The ladder of the tests: two tiers that can be called, one that cannot, one more, and a person.
func ladderOfFive() []standing {
	return []standing{
		{name: "low", able: true}, {name: "mid", able: true}, {name: "gone"},
		{name: "top", able: true, purpose: taxonomy.PurposeAnalysis},
		{name: "human", person: true},
	}
}

var twice = taxonomy.Policy{Name: "twice", MaxAttempts: 2, InitialDelay: 3 * time.Second}

func TestDecide(t *testing.T) {
	t.Parallel()
	type row struct {
		name     string
		reaction taxonomy.Reaction
		change   func(s *situation)
		want     decision // reaction and trail are not compared
	}
	block := &taxonomy.Reaction{Name: "stop here", Action: taxonomy.Block}
	up := &taxonomy.Reaction{Name: "up", Action: taxonomy.Escalate, Then: block}
	noRetry := &taxonomy.Profile{Recovery: taxonomy.Recovery{Enabled: true}}
	rows := []row{
		{"zero aborts", taxonomy.Reaction{}, nil, decision{do: doAbort, end: EndFailed}},
		{"unknown action aborts", taxonomy.Reaction{Action: 99}, nil, decision{do: doAbort, end: EndFailed}},
		{"block", *block, nil, decision{do: doBlock, end: EndBlocked}},
		{"continue", taxonomy.Reaction{Action: taxonomy.Continue}, nil, decision{do: doGoOn}},

		{"retry by default", taxonomy.Reaction{Action: taxonomy.Retry}, nil, decision{do: doAgain, wait: time.Second}},
		{"retry of the operation", taxonomy.Reaction{Action: taxonomy.RetryOperation}, nil,
			decision{do: doAgain, wait: time.Second}},
		{"default is three attempts", taxonomy.Reaction{Action: taxonomy.Retry}, tried(2),
			decision{do: doBlock, end: EndBlocked, depth: 1}},
		{"operation used up aborts", taxonomy.Reaction{Action: taxonomy.RetryOperation}, tried(2),
			decision{do: doAbort, end: EndFailed, depth: 1}},
		{"retry by policy", taxonomy.Reaction{Action: taxonomy.Retry, Policy: &twice}, nil,
			decision{do: doAgain, wait: 3 * time.Second}},
		{"policy used up", taxonomy.Reaction{Action: taxonomy.Retry, Policy: &twice, Then: up}, tried(1),
			decision{do: doHandOn, rung: 1, depth: 1}},
		{"policy without a bound ends",
			taxonomy.Reaction{Action: taxonomy.Retry, Policy: &taxonomy.Policy{}, Then: block}, tried(maxUnbounded - 1),
			decision{do: doBlock, end: EndBlocked, depth: 1}},
		{"profile's policy", taxonomy.Reaction{Action: taxonomy.Retry}, func(s *situation) {
			s.profile = &taxonomy.Profile{Retry: taxonomy.RetryDefaults{Enabled: true, Policy: &twice}}
		}, decision{do: doAgain, wait: 3 * time.Second}},
		{"profile without retries", taxonomy.Reaction{Action: taxonomy.Recover, Then: &taxonomy.Reaction{
			Action: taxonomy.Retry, Then: up}}, func(s *situation) { s.profile = noRetry },
			decision{do: doHandOn, rung: 1, depth: 1}},
		{"hint that is obeyed", taxonomy.Reaction{Action: taxonomy.Retry, HonorRetryAfter: true},
			hinted(7 * time.Second), decision{do: doAgain, wait: 7 * time.Second}},
		{"hint that is not", taxonomy.Reaction{Action: taxonomy.Retry}, hinted(7 * time.Second),
			decision{do: doAgain, wait: time.Second}},
		{"hint that is too long", taxonomy.Reaction{Action: taxonomy.Retry, HonorRetryAfter: true, Then: up},
			hinted(time.Hour), decision{do: doHandOn, rung: 1, depth: 1}},

		// O14
		{"diagnosis before a retry", diagnosing("mid"), nil,
			decision{do: doDiagnose, rung: 1, purpose: taxonomy.PurposeDiagnosis, wait: time.Second}},
		{"by who failed, if that is higher", diagnosing("mid"), at(3),
			decision{do: doDiagnose, rung: 3, purpose: taxonomy.PurposeDiagnosis, wait: time.Second}},
		{"by the next above who is there", diagnosing("gone"), nil,
			decision{do: doDiagnose, rung: 3, purpose: taxonomy.PurposeDiagnosis, wait: time.Second}},
		{"never by a person", diagnosing("human"), nil, decision{do: doAgain, wait: time.Second}},
		{"the same error as often as may be", diagnosing("mid"), func(s *situation) { s.same = 2 },
			decision{do: doBlock, end: EndBlocked, depth: 1, repeated: true}},
		{"the same error once less", diagnosing("mid"), func(s *situation) { s.same = 1 },
			decision{do: doDiagnose, rung: 1, purpose: taxonomy.PurposeDiagnosis, wait: time.Second}},

		{"not by who was asked already", diagnosing("mid"), func(s *situation) { s.least = 2 },
			decision{do: doDiagnose, rung: 3, purpose: taxonomy.PurposeDiagnosis, wait: time.Second}},
		{"by nobody, when all were asked", diagnosing("mid"), func(s *situation) { s.least = 4 },
			decision{do: doAgain, wait: time.Second}},

		{"above who was asked already", taxonomy.Reaction{Action: taxonomy.Escalate, To: "mid"},
			func(s *situation) { s.least = 2 }, decision{do: doHandOn, rung: 3, purpose: taxonomy.PurposeAnalysis}},
		{"a person, when all were asked", taxonomy.Reaction{Action: taxonomy.Escalate, To: "mid"},
			func(s *situation) { s.least = 4 }, decision{do: doAsk, rung: 4, end: EndQuestion}},
		{"who was asked is lower than who failed", *up, both(at(3), func(s *situation) { s.least = 2 }),
			decision{do: doAsk, rung: 4, end: EndQuestion}},
		{"one tier up", *up, nil, decision{do: doHandOn, rung: 1}}, // O15, B-O05
		{"passing over who is not there", *up, at(1),
			decision{do: doHandOn, rung: 3, purpose: taxonomy.PurposeAnalysis}},
		{"up to the named one", taxonomy.Reaction{Action: taxonomy.Escalate, To: "top"}, nil,
			decision{do: doHandOn, rung: 3, purpose: taxonomy.PurposeAnalysis}},
		{"one up when already there", taxonomy.Reaction{Action: taxonomy.Escalate, To: "low"}, nil,
			decision{do: doHandOn, rung: 1}},
		{"to who does not exist is one up", taxonomy.Reaction{Action: taxonomy.Escalate, To: "nobody"}, nil,
			decision{do: doHandOn, rung: 1}},
		{"the reaction's purpose",
			taxonomy.Reaction{Action: taxonomy.Escalate, To: "top", Purpose: taxonomy.PurposeVerification}, nil,
			decision{do: doHandOn, rung: 3, purpose: taxonomy.PurposeVerification}},
		{"a person", *up, at(3), decision{do: doAsk, rung: 4, end: EndQuestion}}, // B-O06
		{"no higher tier", *up, func(s *situation) { s.ladder, s.rung = s.ladder[:4], 3 },
			decision{do: doBlock, rung: 3, end: EndLadder, depth: 1}},
		{"no higher tier, and nothing else", taxonomy.Reaction{Action: taxonomy.Escalate},
			func(s *situation) { s.ladder, s.rung = s.ladder[:4], 3 },
			decision{do: doBlock, rung: 3, end: EndLadder, depth: 1}},
		{"no higher tier, then abort", taxonomy.Reaction{Action: taxonomy.Escalate, Then: &taxonomy.Reaction{}},
			func(s *situation) { s.ladder, s.rung = s.ladder[:4], 3 },
			decision{do: doAbort, rung: 3, end: EndFailed, depth: 1}},

		{"strategy", taxonomy.Reaction{Action: taxonomy.Recover, Strategy: "clean"}, strategies,
			decision{do: doRecover, wait: time.Second, attempt: 1}},
		{"strategy without anybody to run it", taxonomy.Reaction{Action: taxonomy.Recover, Then: up}, nil,
			decision{do: doHandOn, rung: 1, depth: 1}},
		{"strategy used up", taxonomy.Reaction{Action: taxonomy.Recover, Policy: &twice, Then: up},
			both(strategies, tried(1)), decision{do: doHandOn, rung: 1, depth: 1}},
		{"strategy that helps nothing", taxonomy.Reaction{Action: taxonomy.Recover, Then: up},
			both(strategies, func(s *situation) { s.same = 2 }),
			decision{do: doHandOn, rung: 1, depth: 1, repeated: true}},
		{"strategy as often as the profile says", taxonomy.Reaction{Action: taxonomy.Recover, Then: up},
			both(strategies, func(s *situation) {
				s.profile, s.runs[0] = &taxonomy.Profile{Recovery: taxonomy.Recovery{Enabled: true, MaxAttempts: 1}}, 1
			}), decision{do: doHandOn, rung: 1, depth: 1}},

		{"further down the chain", taxonomy.Reaction{Action: taxonomy.Retry, Then: up},
			func(s *situation) { s.from = 1 }, decision{do: doHandOn, rung: 1, depth: 1}},
		{"a chain without an end", endless(), nil, decision{do: doAbort, end: EndFailed}},
	}
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := situation{reaction: &tt.reaction, ladder: ladderOfFive(), repeats: 2}
			if tt.change != nil {
				tt.change(&s)
			}
			got := decide(&s)
			assert.NotNil(t, got.reaction)
			got.reaction, got.trail = nil, trail{}
			assert.Equal(t, tt.want, got)
		})
	}
}

func tried(n int) func(s *situation) {
	return func(s *situation) { s.trail[0] = retry.State{Calls: n} }
}

func hinted(d time.Duration) func(s *situation) {
	return func(s *situation) { s.hint = retry.Hint{After: taxonomy.Some(d)} }
}

func at(rung int) func(s *situation) { return func(s *situation) { s.rung = rung } }

func strategies(s *situation) { s.strategies = true }

func both(f, g func(s *situation)) func(s *situation) {
	return func(s *situation) { f(s); g(s) }
}

func diagnosing(to string) taxonomy.Reaction {
	return taxonomy.Reaction{Action: taxonomy.Retry, To: to, Purpose: taxonomy.PurposeDiagnosis}
}

// endless returns a retry that follows itself.
func endless() taxonomy.Reaction {
	r := &taxonomy.Reaction{Action: taxonomy.Retry, Policy: &taxonomy.Policy{MaxAttempts: 1}}
	r.Then = r
	return *r
}

func TestHeaviest(t *testing.T) {
	t.Parallel()
	of := func(actions ...taxonomy.Action) []found {
		var all []found
		for _, a := range actions {
			all = append(all, found{traits: taxonomy.Traits{Reaction: &taxonomy.Reaction{Action: a}}})
		}
		return all
	}
	for _, tt := range []struct {
		name string
		all  []found
		want int
	}{
		{"one", of(taxonomy.Retry), 0},
		{"abort outweighs block", of(taxonomy.Block, taxonomy.Abort), 1},
		{"block outweighs escalate", of(taxonomy.Escalate, taxonomy.Block), 1},
		{"escalate outweighs recover", of(taxonomy.Recover, taxonomy.Escalate), 1},
		{"recover outweighs retry", of(taxonomy.Retry, taxonomy.Recover), 1},
		{"retry outweighs retry of the operation", of(taxonomy.RetryOperation, taxonomy.Retry), 1},
		{"anything outweighs continue", of(taxonomy.Continue, taxonomy.RetryOperation), 1},
		{"the earlier on a tie", of(taxonomy.Retry, taxonomy.Escalate, taxonomy.Escalate), 1}, // O38
		{"no reaction weighs most", append(of(taxonomy.Abort), found{}), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, heaviest(tt.all))
		})
	}
}
