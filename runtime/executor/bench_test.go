package executor

import "testing"

// BenchmarkRun runs a task whose collaborators are in memory.
func BenchmarkRun(b *testing.B) {
	for name, steps := range map[string][]callStep{
		"succeeds":   {done("a")},
		"fails_once": {breaks("again"), done("a")},
		"reverts":    {works("forbidden/x"), done("a")},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, cfg, _ := play(story{reactions: reactions(), steps: steps})
				if s := runState(b.Context(), cfg, aTask, nil); s.End != EndCompleted {
					b.Fatal(s.End)
				}
			}
		})
	}
}
