package htmlreport

import (
	"slices"
	"strconv"
)

// severityWords are the taxonomy's, the lowest first.
var severityWords = []string{"low", "medium", "high", "critical"}

const (
	// notStated stands for the severity of errors that have none; counts have "unknown" for it.
	notStated = "not stated"
	// otherSeverity stands for words that are not the taxonomy's.
	otherSeverity = "other"
)

func severity(word string) level {
	switch i := slices.Index(severityWords, word); {
	case i >= 0:
		return level{Word: word, Steps: i + 1}
	case word == "" || word == unknown || word == notStated:
		return level{Word: notStated}
	}
	return level{Word: otherSeverity}
}

// levels are all that there are, the highest first.
func levels() []level {
	var list []level
	for _, word := range slices.Backward(severityWords) {
		list = append(list, severity(word))
	}
	return append(list, level{Word: otherSeverity}, level{Word: notStated})
}

// class is the pattern that a severity has in charts.
func (l level) class() string {
	if l.Word == otherSeverity {
		return "v5"
	}
	return "v" + strconv.Itoa(l.Steps)
}
