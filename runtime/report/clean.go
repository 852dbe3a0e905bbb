package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// clean returns o masked and bounded: o itself where it is so already, which is what [New] makes,
// otherwise a copy.
func clean(o *Occurrence) *Occurrence {
	if o.isClean() {
		return o
	}
	var first *Occurrence
	next := &first
	for range maxCauses + 1 {
		if o == nil {
			break
		}
		c := o.cloneTyped()
		c.eachText(func(s *string, n int) { *s = kept(*s, n) })
		c.Context = cleanContext(c.Context)
		c.Metadata = cleanMetadata(o.Metadata)
		*next, next = c, &c.Cause
		o = o.Cause
	}
	return first
}

// bounded returns o where nothing in it is too long, otherwise a clean copy, and about how many
// bytes its texts and its metadata take. It is what a sink asks for each occurrence. What is a
// secret in one that [New] has not made is masked by [shown], whenever it leaves.
func bounded(o *Occurrence) (*Occurrence, int) {
	if size, ok := o.fits(); ok {
		return o, size
	}
	o = clean(o)
	size, _ := o.fits()
	return o, size
}

// shown returns a clean copy of o, which shares nothing with it.
func shown(o *Occurrence) *Occurrence {
	if c := clean(o); c != o {
		return c
	}
	return o.Clone()
}

// fits reports whether nothing in o is too long, and about how many bytes its texts and its
// metadata take.
func (o *Occurrence) fits() (size int, ok bool) {
	for causes := 0; o != nil; causes++ {
		var m measure
		m.texts(o)
		if size += m.size + len(o.Context); m.tooLong || len(o.Context) > maxContext || causes > maxCauses {
			return size, false
		}
		if o.Metadata != nil {
			metadata := metadataMeasure{left: maxMetadata}
			if !metadata.object(o.Metadata, maxNested) {
				return size, false
			}
			size += metadata.size
		}
		if o = o.Cause; o != nil {
			size += entrySize
		}
	}
	return size, true
}

// measure is what texts come to. It is eachText without a call for each, which is much of what a
// report costs.
type measure struct {
	size    int
	tooLong bool
}

func (m *measure) add(s string, n int) {
	m.size += len(s)
	m.tooLong = m.tooLong || len(s) > n
}

// texts adds the texts of o, but for those of its cause.
func (m *measure) texts(o *Occurrence) {
	m.names(o.ID, o.Domain, o.Category, o.Code, o.Severity, o.Recoverability, o.SourceCode, o.Fingerprint, o.Reaction,
		o.Action)
	m.add(o.Message, maxMessage)
	m.add(o.Stack, maxStack)
	if s := o.Source; s != nil {
		m.names(s.Type, s.Component, s.Method)
		m.add(s.Endpoint, maxAddress)
	}
	if e := o.Execution; e != nil {
		m.names(e.Mode, e.Skill, e.Tool, e.Step, e.TaskID, e.SessionID)
	}
	if r := o.Repository; r != nil {
		m.names(r.Owner, r.Repo, r.EntityType)
	}
	if r := o.Recovery; r != nil {
		m.names(r.Strategy)
	}
}

func (m *measure) names(all ...string) {
	for _, s := range all {
		m.add(s, maxName)
	}
}

// isClean reports whether all of o is masked and bounded.
func (o *Occurrence) isClean() bool {
	for causes := 0; o != nil; causes++ {
		if causes > maxCauses || !o.isCleanItself() {
			return false
		}
		o = o.Cause
	}
	return true
}

func (o *Occurrence) isCleanItself() bool {
	ok := true
	o.eachText(func(s *string, n int) {
		ok = ok && boundedText(*s, n) == *s
	})
	return ok && (o.Context == nil || bytes.Equal(cleanContext(o.Context), o.Context)) &&
		(len(o.Metadata) == 0 || isCleanMetadata(o.Metadata))
}

// eachText calls f with each text of o, but for those of its cause, and how long it may be.
func (o *Occurrence) eachText(f func(s *string, n int)) {
	f(&o.ID, maxName)
	f(&o.Domain, maxName)
	f(&o.Category, maxName)
	f(&o.Code, maxName)
	f(&o.Severity, maxName)
	f(&o.Recoverability, maxName)
	f(&o.Message, maxMessage)
	f(&o.SourceCode, maxName)
	f(&o.Stack, maxStack)
	f(&o.Fingerprint, maxName)
	f(&o.Reaction, maxName)
	f(&o.Action, maxName)
	if s := o.Source; s != nil {
		f(&s.Type, maxName)
		f(&s.Component, maxName)
		f(&s.Endpoint, maxAddress)
		f(&s.Method, maxName)
	}
	if e := o.Execution; e != nil {
		f(&e.Mode, maxName)
		f(&e.Skill, maxName)
		f(&e.Tool, maxName)
		f(&e.Step, maxName)
		f(&e.TaskID, maxName)
		f(&e.SessionID, maxName)
	}
	if r := o.Repository; r != nil {
		f(&r.Owner, maxName)
		f(&r.Repo, maxName)
		f(&r.EntityType, maxName)
	}
	if r := o.Recovery; r != nil {
		f(&r.Strategy, maxName)
	}
}

// cleanContext returns a JSON object masked, or nil for what is none, is too long, or is none any
// more once it is masked.
func cleanContext(b json.RawMessage) json.RawMessage {
	if len(b) == 0 || len(b) > maxContext || !utf8.Valid(b) || !isObject(b) {
		return nil
	}
	text := string(b)
	if masked := taxonomy.Redact(text); masked != text {
		if b = json.RawMessage(masked); !json.Valid(b) {
			return nil
		}
	}
	if !strings.Contains(text, `\`) || !hidesSecret(b) {
		return b
	}
	return rewrittenContext(b)
}

func isObject(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && b[0] == '{' && json.Valid(b)
}

// hidesSecret reports whether a text in JSON has a secret that only shows without the escapes.
func hidesSecret(b []byte) bool {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		if s, ok := token.(string); ok && taxonomy.Redact(s) != s {
			return true
		}
	}
}

// rewrittenContext returns the context as the metadata would be written.
func rewrittenContext(b []byte) json.RawMessage {
	var m map[string]any
	if json.Unmarshal(b, &m) != nil {
		return nil
	}
	b, err := json.Marshal(cleanMetadata(m))
	if err != nil {
		return nil
	}
	return b
}
