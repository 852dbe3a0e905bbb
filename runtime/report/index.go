package report

// index finds entries by ID. A map would hash each ID three times: to see that it is new, to add
// it, and to take it out again. Hashes are those of a seed of its own, so that nobody can choose
// IDs that are all in one place.
type index struct {
	// slots are as many as a power of two, at most three quarters of them in use. An entry is in
	// the first free slot from that of its hash on.
	slots []slot
	n     int
}

type slot struct {
	hash uint64
	e    *entry
}

// leastSlots is how many slots there are at least.
const leastSlots = 64

// get returns the entry with an ID, whose hash is given, or nil.
func (x *index) get(id string, hash uint64) *entry {
	if len(x.slots) == 0 {
		return nil
	}
	mask := len(x.slots) - 1
	for i := int(hash) & mask; x.slots[i].e != nil; i = (i + 1) & mask {
		if s := &x.slots[i]; s.hash == hash && s.e.ID == id {
			return s.e
		}
	}
	return nil
}

// add adds an entry whose ID is not there.
func (x *index) add(e *entry, hash uint64) {
	if x.n++; 4*x.n > 3*len(x.slots) {
		x.grow()
	}
	x.put(slot{hash, e})
}

func (x *index) put(s slot) {
	mask := len(x.slots) - 1
	i := int(s.hash) & mask
	for x.slots[i].e != nil {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

func (x *index) grow() {
	old := x.slots
	x.slots = make([]slot, max(leastSlots, 2*len(old)))
	for _, s := range old {
		if s.e != nil {
			x.put(s)
		}
	}
}

// remove takes an entry out that is there, and moves those behind it that would not be found any
// more.
func (x *index) remove(e *entry, hash uint64) {
	mask := len(x.slots) - 1
	free := int(hash) & mask
	for x.slots[free].e != e {
		free = (free + 1) & mask
	}
	for i := (free + 1) & mask; x.slots[i].e != nil; i = (i + 1) & mask {
		if from := int(x.slots[i].hash) & mask; (i-from)&mask >= (i-free)&mask {
			x.slots[free], free = x.slots[i], i
		}
	}
	x.slots[free] = slot{}
	x.n--
}
