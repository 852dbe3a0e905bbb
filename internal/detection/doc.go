// Package detection turns the detect rules of a resolved taxonomy into the form in which evidence
// is matched with them, and says what evidence becomes without generating a package: the rule that
// wins, the code, its context and its row. It reads evidence by the same functions that generated
// packages call.
package detection
