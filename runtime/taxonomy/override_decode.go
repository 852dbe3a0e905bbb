package taxonomy

import "encoding/json"

// reactionKeys are the keys of a ReactionRef that is no name.
type reactionKeys struct {
	Retryable        string `json:"retryable,omitempty" yaml:"retryable,omitempty"`
	Permanent        string `json:"permanent,omitempty" yaml:"permanent,omitempty"`
	ReactionOverride `yaml:",inline"`
}

func (r *ReactionRef) set(keys *reactionKeys) {
	*r = ReactionRef{Retryable: keys.Retryable, Permanent: keys.Permanent}
	if keys.ReactionOverride != (ReactionOverride{}) || keys.Retryable == "" && keys.Permanent == "" {
		r.Inline = &keys.ReactionOverride
	}
}

// form returns what the reference is in JSON and YAML.
func (r ReactionRef) form() any {
	switch {
	case r.Retryable != "" || r.Permanent != "":
		keys := reactionKeys{Retryable: r.Retryable, Permanent: r.Permanent}
		if r.Inline != nil {
			keys.ReactionOverride = *r.Inline
		}
		return keys
	case r.Inline != nil:
		return r.Inline
	}
	return r.Name
}

// MarshalJSON returns a string or an object.
func (r ReactionRef) MarshalJSON() ([]byte, error) { return json.Marshal(r.form()) }

// UnmarshalJSON reads a string or an object; a key that it does not have is an error.
func (r *ReactionRef) UnmarshalJSON(b []byte) error {
	if isString(b) {
		*r = ReactionRef{}
		return json.Unmarshal(b, &r.Name)
	}
	var keys reactionKeys
	if err := strictly(b, &keys); err != nil {
		return err
	}
	r.set(&keys)
	return nil
}

// MarshalYAML returns what stands in the reference's place.
func (r ReactionRef) MarshalYAML() (any, error) { return r.form(), nil }

// UnmarshalYAML reads a string or a mapping, by any YAML library that hands over how to decode what
// stands there.
func (r *ReactionRef) UnmarshalYAML(decode func(any) error) error {
	var name string
	if decode(&name) == nil {
		*r = ReactionRef{Name: name}
		return nil
	}
	var keys reactionKeys
	if err := decode(&keys); err != nil {
		return err
	}
	r.set(&keys)
	return nil
}

func (p PolicyRef) form() any {
	if p.Inline != nil {
		return p.Inline
	}
	return p.Name
}

// MarshalJSON returns a string or an object.
func (p PolicyRef) MarshalJSON() ([]byte, error) { return json.Marshal(p.form()) }

// UnmarshalJSON reads a string or an object; a key that it does not have is an error.
func (p *PolicyRef) UnmarshalJSON(b []byte) error {
	*p = PolicyRef{}
	if isString(b) {
		return json.Unmarshal(b, &p.Name)
	}
	p.Inline = &PolicyOverride{}
	return strictly(b, p.Inline)
}

// MarshalYAML returns what stands in the reference's place.
func (p PolicyRef) MarshalYAML() (any, error) { return p.form(), nil }

// UnmarshalYAML reads a string or a mapping, by any YAML library that hands over how to decode what
// stands there.
func (p *PolicyRef) UnmarshalYAML(decode func(any) error) error {
	*p = PolicyRef{}
	if decode(&p.Name) == nil {
		return nil
	}
	p.Inline = &PolicyOverride{}
	return decode(p.Inline)
}

func isString(b []byte) bool { return len(b) > 0 && b[0] == '"' }
