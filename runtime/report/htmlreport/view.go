package htmlreport

import "html/template"

// page is what the template shows: texts that are cleaned and cut, numbers that are counted, and
// positions.
type page struct {
	Title string
	Made  *stamp
	// Policy is the Content-Security-Policy.
	Policy string
	Style  template.CSS
	Script template.JS

	Empty      bool
	Figures    []figure
	Charts     []*chart
	Breakdowns []breakdown
	Codes      []codeRow
	// CodesRest is the row of all other codes; nil without any.
	CodesRest  *codeRow
	Groups     []groupRow
	GroupsLeft string
	// GroupsGone says what is not kept any more.
	GroupsGone string
	Outcomes   []outcomeRow
	Forecasts  []forecastRow
	Latest     []occurrenceRow
	LatestLeft string
}

// figure is a headline number.
type figure struct {
	Name, Value, Note string
	From, To          *stamp
	// Part is the share that is drawn as a bar, a percentage; empty draws none.
	Part string
}

// breakdown is a list of bars: how many errors there are of each kind.
type breakdown struct {
	ID, Title string
	Rows      []breakdownRow
}

type breakdownRow struct {
	Name, Count, Share, Width string
	Class                     string
}

// level is a severity: its word, and how many of the four steps of its picture are filled.
type level struct {
	Word  string
	Steps int
}

// codeRow is what there is of a code. Level is the highest severity, Latest when the last error
// happened.
type codeRow struct {
	Code, Category string
	Count          int
	Share          string
	Level          level
	Latest         *stamp
}

type groupRow struct {
	Level                   level
	Code, Category, Pattern string
	Count                   int
	First, Last             *stamp
	Sample                  occurrenceRow
}

type outcomeRow struct {
	Reaction, Action string
	Count            int
	// Recoveries and Retries are nil where none was tried.
	Recoveries, Retries *came
}

// came is what came of several tries: the share that succeeded, the numbers that it is of, and the
// widths of the bars.
type came struct{ Rate, Of, Good, Bad string }

type forecastRow struct {
	Provider, Code      string
	Probability, Range  string
	From, Width, Middle string
}

// occurrenceRow is one error, with everything that is known of it as names and values.
type occurrenceRow struct {
	Level          level
	At             *stamp
	Category, Code string
	// Summary is the message in one line, Message all of it that there is room for.
	Summary, Message string
	Source           string
	Recovery         string
	Facts            []fact
	Blocks           []fact
}

// fact is a name and a value.
type fact struct{ Name, Value string }
