package htmlreport

import "strconv"

// severityWords are the taxonomy's, by how many steps their pictures have.
var severityWords = [...]string{"unknown", "low", "medium", "high", "critical"}

func severity(word string) level {
	for steps, w := range severityWords {
		if steps > 0 && w == word {
			return level{Word: w, Steps: steps}
		}
	}
	return level{Word: severityWords[0]}
}

// class is the pattern that a severity has in charts.
func (l level) class() string { return "v" + strconv.Itoa(l.Steps) }
