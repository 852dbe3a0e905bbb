package escalate

// Plays has the test binary play a part when it is started with the part's name in the variable
// that is returned.
func Plays(part string, play func(args []string) error) (variable string) {
	children[part] = play
	return child
}

// Noted notes an attempt of a step.
var Noted = noted
