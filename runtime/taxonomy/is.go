package taxonomy

// Bounds on the list of what an error also is, which senders write and readers accept.
const (
	// MaxIs is the maximum number of its elements.
	MaxIs = 8
	// MaxIsBytes is the maximum length of its JSON, in bytes.
	MaxIsBytes = 512
)

// AppendIs appends what an error of a row also is, for a receiver that does not have its code: the
// codes above it, the nearest first, then its aliases and theirs. If public is true, it leaves out
// codes that clients must not see. It appends at most [MaxIs] values,
// and leaves out those that make the list longer than [MaxIsBytes].
func (t *Taxonomy) AppendIs(list []string, row Row, public bool) []string {
	code := t.Code(row)
	if code == nil || code.Parent == 0 && code.Extra == nil {
		return list
	}
	length := len("[]")
	add := func(value string) {
		if size := len(value) + len(`"",`); len(list) < MaxIs && length+size <= MaxIsBytes {
			list, length = append(list, value), length+size
		}
	}
	for above := t.above(row); above != RowUnknown; above = t.above(above) {
		if c := t.Code(above); c.Public || !public {
			add(c.Value)
		}
	}
	for ; row != RowUnknown; row = t.above(row) {
		if c := t.Code(row); c.Public || !public {
			for _, alias := range c.Extras().Aliases {
				add(alias)
			}
		}
	}
	return list
}

// above returns the row of the code above that of a row, or [RowUnknown].
func (t *Taxonomy) above(row Row) Row {
	if c := t.Code(row); c != nil && c.Parent != 0 {
		return At(row.Category(), c.Parent)
	}
	return RowUnknown
}

// IsBelow reports whether the code of a row is that of another row, or below it.
func (t *Taxonomy) IsBelow(row, other Row) bool {
	for row = row.When(0); row != RowUnknown; row = t.above(row) {
		if row == other.When(0) {
			return true
		}
	}
	return false
}

// FindIs returns the row of the first value of a received list that the taxonomy has. A later value
// replaces it if its code is below that of the first: the former name of a code comes after its
// parent. The sender must have the domain of the taxonomy.
func (t *Taxonomy) FindIs(list []string) (best Row, ok bool) {
	for _, value := range list[:min(len(list), MaxIs)] {
		if row, known := t.Find(value); known && (!ok || t.IsBelow(row, best)) {
			best, ok = row, true
		}
	}
	return best, ok
}

// SentCode returns the code that the sender of a received error gave it, if this program does not
// have that code. The error has then a code that it also is, or is an [Unknown]. Otherwise it
// returns "".
func SentCode(err error) string {
	c, _ := First(err, nil)
	if s, ok := c.(interface{ SentCode() string }); ok {
		return s.SentCode()
	}
	return ""
}
