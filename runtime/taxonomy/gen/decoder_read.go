package gen

import (
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// String reads a string.
//
//go:noinline
func (d *Decoder) String(p *string) {
	if v, ok := d.string(); ok {
		*p = v
	}
}

// OptString is [Decoder.String] of a value that may be absent.
//
//go:noinline
func (d *Decoder) OptString(p *taxonomy.Opt[string]) {
	if v, ok := d.string(); ok {
		*p = taxonomy.Some(v)
	}
}

// Int reads an integer, a number or one in a string.
//
//go:noinline
func (d *Decoder) Int(p *int) {
	if v, ok := d.int(); ok {
		*p = v
	}
}

// OptInt is [Decoder.Int] of a value that may be absent.
//
//go:noinline
func (d *Decoder) OptInt(p *taxonomy.Opt[int]) {
	if v, ok := d.int(); ok {
		*p = taxonomy.Some(v)
	}
}

// Int64 reads an integer, a number or one in a string.
//
//go:noinline
func (d *Decoder) Int64(p *int64) {
	if v, ok := d.int64(); ok {
		*p = v
	}
}

// OptInt64 is [Decoder.Int64] of a value that may be absent.
//
//go:noinline
func (d *Decoder) OptInt64(p *taxonomy.Opt[int64]) {
	if v, ok := d.int64(); ok {
		*p = taxonomy.Some(v)
	}
}

// Uint64 reads an integer, a number or one in a string.
//
//go:noinline
func (d *Decoder) Uint64(p *uint64) {
	if v, ok := d.uint64(); ok {
		*p = v
	}
}

// OptUint64 is [Decoder.Uint64] of a value that may be absent.
//
//go:noinline
func (d *Decoder) OptUint64(p *taxonomy.Opt[uint64]) {
	if v, ok := d.uint64(); ok {
		*p = taxonomy.Some(v)
	}
}

// Float64 reads a number, or one in a string.
//
//go:noinline
func (d *Decoder) Float64(p *float64) {
	if v, ok := d.float64(); ok {
		*p = v
	}
}

// OptFloat64 is [Decoder.Float64] of a value that may be absent.
//
//go:noinline
func (d *Decoder) OptFloat64(p *taxonomy.Opt[float64]) {
	if v, ok := d.float64(); ok {
		*p = taxonomy.Some(v)
	}
}

// Bool reads true or false.
//
//go:noinline
func (d *Decoder) Bool(p *bool) {
	if v, ok := d.bool(); ok {
		*p = v
	}
}

// OptBool is [Decoder.Bool] of a value that may be absent.
//
//go:noinline
func (d *Decoder) OptBool(p *taxonomy.Opt[bool]) {
	if v, ok := d.bool(); ok {
		*p = taxonomy.Some(v)
	}
}

// Duration reads a duration such as "1.5s".
//
//go:noinline
func (d *Decoder) Duration(p *time.Duration) {
	if v, ok := d.duration(); ok {
		*p = v
	}
}

// OptDuration is [Decoder.Duration] of a value that may be absent.
//
//go:noinline
func (d *Decoder) OptDuration(p *taxonomy.Opt[time.Duration]) {
	if v, ok := d.duration(); ok {
		*p = taxonomy.Some(v)
	}
}

// Time reads an RFC 3339 instant, as UTC.
//
//go:noinline
func (d *Decoder) Time(p *time.Time) {
	if v, ok := d.time(); ok {
		*p = v
	}
}

// OptTime is [Decoder.Time] of a value that may be absent.
//
//go:noinline
func (d *Decoder) OptTime(p *taxonomy.Opt[time.Time]) {
	if v, ok := d.time(); ok {
		*p = taxonomy.Some(v)
	}
}
