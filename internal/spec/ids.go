package spec

// The ids of the findings of form. An id never changes its meaning and is never used again.
const (
	IDSyntax      = "E-yaml-syntax"     // the file is not YAML, for a reason that has no id of its own
	IDTab         = "E-tab"             // a tab indents a line
	IDIndent      = "E-indent"          // a line is indented like nothing above it
	IDEscape      = "E-escape"          // text in double quotes holds an escape that YAML does not know
	IDUnquoted    = "E-unquoted"        // text needs quotes, or goes on behind its quotes
	IDUnclosed    = "E-unclosed"        // a quote or bracket is never closed, or closes nothing
	IDAnchor      = "E-anchor"          // an anchor, alias or merge key
	IDTag         = "E-tag"             // a YAML tag such as !!str
	IDSecondDoc   = "E-second-document" // a file holds one taxonomy only
	IDEncoding    = "E-encoding"        // bytes that are not UTF-8, or line breaks that only some readers see
	IDControl     = "E-control"         // a control character, NUL among them
	IDTooLarge    = "E-too-large"       // more bytes or values than a taxonomy can reasonably have
	IDTooDeep     = "E-too-deep"        // values nested deeper than the language goes
	IDTooMany     = "E-too-many"        // so many findings that the rest are left out
	IDVersion     = "E-version"         // a version of the language that this errgen does not read
	IDUnknownKey  = "E-unknown-key"     // a key that means nothing at this place
	IDReservedKey = "E-reserved-key"    // a key kept for a later version
	IDDuplicate   = "E-duplicate-key"   // a key given twice in one mapping
	IDMissingKey  = "E-missing-key"     // a key that must be given is not
	IDKeyConflict = "E-key-conflict"    // two keys that exclude each other
	IDEmpty       = "E-empty"           // a key without a value
	IDWrongType   = "E-wrong-type"      // a value of another form than the key takes
	IDBadValue    = "E-bad-value"       // a word outside of the closed set that the key takes
	IDNumberText  = "E-number-text"     // text without quotes that YAML reads as a number or a truth value
	IDBoolWord    = "E-bool-word"       // yes, no, on, off and the like in place of true and false
	IDDuration    = "E-duration"        // a duration without a unit, or one that cannot be read
	IDFlowComma   = "E-flow-comma"      // a comma in text without quotes cuts the text inside {…}
	IDIgnore      = "E-ignore"          // an errgen:ignore comment that names no finding
)

// IDs returns the ids of all findings that [Parse] can make.
func IDs() []string {
	return []string{
		IDSyntax, IDTab, IDIndent, IDEscape, IDUnquoted, IDUnclosed, IDAnchor, IDTag, IDSecondDoc,
		IDEncoding, IDControl, IDTooLarge, IDTooDeep, IDTooMany, IDVersion, IDUnknownKey, IDReservedKey,
		IDDuplicate, IDMissingKey, IDKeyConflict, IDEmpty, IDWrongType, IDBadValue, IDNumberText,
		IDBoolWord, IDDuration, IDFlowComma, IDIgnore,
	}
}
