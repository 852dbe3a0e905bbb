package gen

import (
	"encoding/json"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Read reads the value into the field that p points to. Integers and numbers may be in a string,
// durations are as "1.5s", times are RFC 3339.
func (d *Decoder) Read(p any) {
	switch p := p.(type) {
	case *string:
		set(p, d, (*Decoder).string)
	case *taxonomy.Opt[string]:
		setOpt(p, d, (*Decoder).string)
	case *int:
		set(p, d, (*Decoder).int)
	case *taxonomy.Opt[int]:
		setOpt(p, d, (*Decoder).int)
	case *int64:
		set(p, d, (*Decoder).int64)
	case *taxonomy.Opt[int64]:
		setOpt(p, d, (*Decoder).int64)
	case *uint64:
		set(p, d, (*Decoder).uint64)
	case *taxonomy.Opt[uint64]:
		setOpt(p, d, (*Decoder).uint64)
	case *float64:
		set(p, d, (*Decoder).float64)
	case *taxonomy.Opt[float64]:
		setOpt(p, d, (*Decoder).float64)
	case *bool:
		set(p, d, (*Decoder).bool)
	case *taxonomy.Opt[bool]:
		setOpt(p, d, (*Decoder).bool)
	case *time.Duration:
		set(p, d, (*Decoder).duration)
	case *taxonomy.Opt[time.Duration]:
		setOpt(p, d, (*Decoder).duration)
	case *time.Time:
		set(p, d, (*Decoder).time)
	case *taxonomy.Opt[time.Time]:
		setOpt(p, d, (*Decoder).time)
	case *[]string:
		set(p, d, (*Decoder).strings)
	case *json.RawMessage:
		if raw := d.value(); raw[0] != 'n' {
			*p = append(json.RawMessage(nil), raw...)
		}
	case json.Unmarshaler: // a secret, which is masked on the wire
		if err := p.UnmarshalJSON(d.value()); err != nil {
			d.wrong("a secret")
		}
	}
}

func set[T any](p *T, d *Decoder, read func(*Decoder) (T, bool)) {
	if v, ok := read(d); ok {
		*p = v
	}
}

func setOpt[T any](p *taxonomy.Opt[T], d *Decoder, read func(*Decoder) (T, bool)) {
	if v, ok := read(d); ok {
		*p = taxonomy.Some(v)
	}
}
