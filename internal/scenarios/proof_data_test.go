package scenarios_test

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var updateTales = flag.Bool("update", false, "write the golden files")

// worldOf is the world in which a tale takes place.
func worldOf(tale tale, table taxonomy.Table) *memWorld {
	w := inMemory(table, detect.Classifier(errs.Explain), tale.turns...)
	if tale.change != nil {
		tale.change(w)
	}
	return w
}

// What the shipped taxonomy comes to in each tale. The file is what a change of taxonomy.yaml is to
// be read by.
func TestTales(t *testing.T) {
	var b strings.Builder
	synctest.Test(t, func(*testing.T) {
		for _, tale := range tales() {
			fmt.Fprintf(&b, "== %s\n%s\n", tale.name, worldOf(tale, errs.Table).trace())
		}
	})
	golden(t, "tales.txt", b.String())
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *updateTales {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "run with -update and read the difference")
}

// hostSetting is what a host adds to the data.
type hostSetting struct {
	name string
	add  func(d *reactionData)
}

// hostSettings are those under which every single change of the data shows.
var hostSettings = []hostSetting{
	{"as it is", func(*reactionData) {}},
	// What names no policy has none unless a profile gives numbers, and then something follows it.
	{"with numbers for what names no policy", func(d *reactionData) {
		d.profile.Retry.Policy = &taxonomy.Policy{Name: "default", MaxAttempts: 3, InitialDelay: 2 * time.Second,
			MaxDelay: time.Minute, Multiplier: 2}
	}},
}

// unseen are the single changes that no tale can show, and why. A name may hold the wildcards of
// path.Match.
var unseen = []struct{ profile, name, why string }{
	{"*", "retryable", "callers ask for it; an executor does what the reaction says"},
	{"*", "block log.level=debug", "what says nothing is heard at debug"},
	{"*", "abort log.level=debug", "what says nothing is heard at debug"},
	{"*", "block feed_back=true", "after an end nobody is told"},
	{"*", "undo_and_stop accept_completion=true", "an end accepts nothing"},
	{"*", "correct honor_retry_after=true", "no error that has this reaction holds a hint"},
	{"*", "undo honor_retry_after=true", "no error that has this reaction holds a hint"},
	{"*", "repeat honor_retry_after=true", "no error that has this reaction holds a hint"},
	{"*", "api max_delay=1m0s", "no computed wait is as long as the bound was"},
	{"*", "rate_limit max_delay=1m0s", "no computed wait is as long as the bound was"},
	{"*", "once_more max_delay=1m0s", "no computed wait is as long as the bound was"},
	{"*", "api max_retry_after=*", "what names the policy obeys no hint"},
	{"*", "once_more max_retry_after=*", "what names the policy obeys no hint"},
	{"", "rate_limit max_retry_after=1h0m0s", "max_elapsed ends the same hint"},
	{"unattended", "rate_limit max_retry_after=2m0s", "max_elapsed ends the same hint"},
	{"*", "rate_limit multiplier=*", "a constant delay does not grow"},
	{"*", "once_more multiplier=*", "a constant delay does not grow"},
	{"*", "once_more backoff=*", "there is one wait only"},
	{"unattended", "api backoff=linear", "there are two waits only, and 1, 2 is both"},
	{"strict", "[^S]* reaction=again", "retries are off, and block follows"},
	{"strict", "uncategorized=block", "retries are off, and block follows"},
	{"", "SCOPE_USER_DENIED reaction=undo", "a profile passes over a retry of what is not retryable"},
}

// why returns why no tale shows a change, or "".
func why(profile, name string) string {
	for _, u := range unseen {
		ofProfile, _ := path.Match(u.profile, profile)
		ofName, _ := path.Match(u.name, name)
		if ofProfile && ofName {
			return u.why
		}
	}
	return ""
}

// bench tells tales under changed data, and compares.
type mutantBench struct {
	profile string
	tales   []tale
	base    map[string]string          // by setting and tale
	seen    map[string]map[string]bool // what a tale has to do with, by the same
}

func newMutantBench(profile string) *mutantBench {
	b := &mutantBench{profile: profile, tales: append(tales(), probeTales()...), base: map[string]string{},
		seen: map[string]map[string]bool{}}
	for _, s := range hostSettings {
		for _, tale := range b.tales {
			d := dataOf(profile)
			s.add(d)
			w := worldOf(tale, d.table())
			b.base[s.name+tale.name] = w.trace()
			b.seen[s.name+tale.name] = w.seen
		}
	}
	return b
}

// shows returns the first tale with another outcome for the mutant, or "". Tales about the changed
// datum come first. The others are tried if all is set.
func (b *mutantBench) shows(m mutant, all bool) string {
	for _, near := range []bool{true, false} {
		if !near && !all {
			break
		}
		for _, s := range hostSettings {
			d := dataOf(b.profile)
			m.change(d)
			s.add(d)
			for _, tale := range b.tales {
				key := s.name + tale.name
				if b.seen[key][m.about] == near && worldOf(tale, d.table()).trace() != b.base[key] {
					return tale.name
				}
			}
		}
	}
	return ""
}

// Each single change of the data changes what some tale comes to, but for those that the file lists
// with the reason.
func TestSingleChanges(t *testing.T) {
	profiles := []string{"", "unattended", "strict"}
	reports := make([]string, len(profiles))
	t.Run("profiles", func(t *testing.T) {
		for i, profile := range profiles {
			t.Run(profile, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { reports[i] = unshown(t, profile) })
			})
		}
	})
	golden(t, "mutants.txt", strings.Join(reports, "\n"))
}

// unshown lists the changes under a profile that no tale shows, and says how many are shown.
func unshown(t *testing.T, profile string) string {
	b := newMutantBench(profile)
	all, list, left := mutants(profile), "", 0
	for i, m := range all {
		if testing.Short() && i%10 != 0 && why(profile, m.name) == "" {
			continue
		}
		reason := why(profile, m.name)
		if b.shows(m, reason == "") != "" {
			assert.Empty(t, reason, "%s is shown, and need not be excused", m.name)
			continue
		}
		assert.NotEmpty(t, reason, "no tale shows %q under profile %q", m.name, profile)
		list += fmt.Sprintf("    %s: %s\n", m.name, reason)
		left++
	}
	return fmt.Sprintf("profile %q: %d single changes, %d of them shown, and not:\n%s", profile, len(all),
		len(all)-left, list)
}
