package escalate

import (
	"cmp"
	"strconv"
	"strings"
)

// neededAtEnd says how a question about a plan that is carried out is answered.
const neededAtEnd = "Say how it is meant. Or answer that it is done, if the plan is clear as it is: then only what contradicts itself in it still counts. " +
	"Steps that are done are not to be edited in the plan."

// neededOf says what has to be provided or decided about what was found, as far as that is not what agents report.
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
			return "See to it that nothing but the step changes these files while it is judged; what checks write belongs where git ignores it: " + filesOf(f)
		}
		return f.message()
	case sourceScope:
		if files := filesOf(f); files != "" {
			return "These files are not the agent's to change. Permit it, or change them by hand if that is needed: " + files
		}
		return f.message()
	}
	return ""
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
		names = append(names, oneLine(file, maxWord))
	}
	text := strings.Join(names, ", ")
	if more := len(files) - maxNamed; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}
