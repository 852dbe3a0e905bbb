package escalate

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
)

// neededAtEnd says how a question about a plan that is carried out is answered.
const neededAtEnd = "Say how it is meant. Or answer that it is done, if the plan is clear as it is: then only what " +
	"contradicts itself in it still counts. " +
	"Steps that are done are not to be edited in the plan."

// neededOf says what has to be provided or decided about what was found, as far as that is not what
// agents report.
func neededOf(all []found) []string {
	var needed []string
	for i := range all {
		if text := neededByStep(&all[i]); text != "" && len(needed) < maxListed {
			needed = append(needed, bounded(text))
		}
	}
	return needed
}

func neededByStep(f *found) string {
	switch f.source {
	case sourcePlan, sourceReview:
		return f.message()
	case sourceCheck:
		if f.evidence != nil && f.evidence.Op == opClean {
			return "See to it that nothing but the step changes these files while it is judged; what checks write " +
				"belongs where git ignores it: " + filesOf(f)
		}
		return f.message()
	case sourceScope:
		if files := filesOf(f); files != "" {
			return "These files are not the agent's to change. Permit it, or change them by hand if that is needed: " +
				files
		}
		return f.message()
	}
	return ""
}

// asks returns the question about the step. What was reported last is about the step, also when a
// tier's own failure has ended the run.
func (j *job) asks(why string) *Question {
	needed, evidence := j.neededToGoOn(), ""
	if f := cmp.Or(j.work.Failed, j.work.Outage); f != nil {
		evidence, needed = cmp.Or(f.Raw, f.Message), append(needed, f.Needed...)
		if len(j.res.Attempts) == 0 {
			why += ": " + f.Message
		}
	}
	q := newQuestion(j.step.ID, why, j.res.Attempts, needed, evidence, j.cfg.MaxEvidence)
	if len(q.Needed) == 0 {
		q.Needed = []string{bounded(j.neededAtLast())}
	}
	return q
}

// neededToGoOn says what is needed besides what is wrong with the step: whoever could not be
// called, and what is used up.
func (j *job) neededToGoOn() []string {
	w := j.work
	switch {
	case w.Outage != nil:
		return []string{"See to it that tier " + j.nameOf(w.Outage.Rung) +
			" can be called, and answer to have the step tried again. It failed itself: " + w.Outage.summary()}
	case w.End == EndGuard:
		return []string{"Allow the step more (turns or time, whichever is used up), or give it less to do. An " +
			"answer has it begin again, with as much as it had."}
	}
	return nil
}

// neededAtLast says what is needed where nobody has said it.
func (j *job) neededAtLast() string {
	text := "Say how the step is to be carried out, or carry it out and answer that it is done."
	if f := j.work.Failed; f != nil {
		text += " This is what was wrong last: " + f.summary()
	}
	if idle := j.idle(); len(idle) > 0 {
		text = "See to it that these tiers can be called, which have failed themselves too often: " + listed(idle) +
			". Or do without them. " + text
	}
	return text
}

// idle names the tiers that are passed over.
func (j *job) idle() []string {
	var names []string
	for i, g := range j.ladder {
		if g.provider != nil && !j.able(i) {
			names = append(names, text.OneLine(g.tier.Name, maxWord))
		}
	}
	return names
}

// summary says in one line what failed.
func (f *Failed) summary() string {
	code, message := text.OneLine(f.Code, maxWord), text.OneLine(f.Message, maxValue)
	switch {
	case code == "" || strings.HasPrefix(message, code):
		return message
	case message == "":
		return code
	}
	return code + ": " + message
}

// neededFor says what has to be provided or decided about something that is wrong with the plan.
func neededFor(f *found) string {
	if f.evidence == nil || f.source != sourcePlan {
		return "See to it that the plan can be reviewed: " + f.message()
	}
	text := cmp.Or(f.evidence.Text, f.message())
	if name := f.evidence.Attribute("name"); name != "" {
		text = f.evidence.Attribute("kind") + " " + name + ": " + text
	}
	if step := f.evidence.Attribute("step"); step != "" {
		text = "step " + step + ": " + text
	}
	return text
}

// maxNamed is how many files a message names.
const maxNamed = 5

// filesOf names the first of the files that evidence is about; empty when there are none.
func filesOf(f *found) string {
	if f.evidence == nil || len(f.evidence.Files) == 0 {
		return ""
	}
	files := f.evidence.Files
	var names []string
	for _, file := range files[:min(len(files), maxNamed)] {
		names = append(names, text.OneLine(file, maxWord))
	}
	text := strings.Join(names, ", ")
	if more := len(files) - maxNamed; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}
