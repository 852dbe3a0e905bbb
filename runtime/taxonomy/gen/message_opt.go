package gen

import (
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// OptString is [MessageBuilder.String] of a value that may be absent.
//
//go:noinline
func (m MessageBuilder) OptString(o taxonomy.Opt[string]) MessageBuilder {
	return m.String(o.Or(""))
}

// OptClean is [MessageBuilder.Clean] of a value that may be absent.
//
//go:noinline
func (m MessageBuilder) OptClean(o taxonomy.Opt[string], c Clean) MessageBuilder {
	return m.Clean(o.Or(""), c)
}

// OptLine is [MessageBuilder.Line] of a value that may be absent.
//
//go:noinline
func (m MessageBuilder) OptLine(o taxonomy.Opt[string], c Clean) MessageBuilder {
	return m.Line(o.Or(""), c)
}

// OptQuoted is [MessageBuilder.Quoted] of a value that may be absent.
//
//go:noinline
func (m MessageBuilder) OptQuoted(o taxonomy.Opt[string], c Clean) MessageBuilder {
	return m.Quoted(o.Or(""), c)
}

// OptInt is [MessageBuilder.Int] of a value that may be absent.
//
//go:noinline
func (m MessageBuilder) OptInt(o taxonomy.Opt[int]) MessageBuilder {
	v, ok := o.Get()
	if !ok {
		return m.absent()
	}
	return m.Int(v)
}

// OptInt64 is [MessageBuilder.Int64] of a value that may be absent.
//
//go:noinline
func (m MessageBuilder) OptInt64(o taxonomy.Opt[int64]) MessageBuilder {
	v, ok := o.Get()
	if !ok {
		return m.absent()
	}
	return m.Int64(v)
}

// OptUint64 is [MessageBuilder.Uint64] of a value that may be absent.
//
//go:noinline
func (m MessageBuilder) OptUint64(o taxonomy.Opt[uint64]) MessageBuilder {
	v, ok := o.Get()
	if !ok {
		return m.absent()
	}
	return m.Uint64(v)
}

// OptFloat64 is [MessageBuilder.Float64] of a value that may be absent.
//
//go:noinline
func (m MessageBuilder) OptFloat64(o taxonomy.Opt[float64]) MessageBuilder {
	v, ok := o.Get()
	if !ok {
		return m.absent()
	}
	return m.Float64(v)
}

// OptBool is [MessageBuilder.Bool] of a value that may be absent.
//
//go:noinline
func (m MessageBuilder) OptBool(o taxonomy.Opt[bool]) MessageBuilder {
	v, ok := o.Get()
	if !ok {
		return m.absent()
	}
	return m.Bool(v)
}

// OptDuration is [MessageBuilder.Duration] of a value that may be absent.
//
//go:noinline
func (m MessageBuilder) OptDuration(o taxonomy.Opt[time.Duration]) MessageBuilder {
	v, ok := o.Get()
	if !ok {
		return m.absent()
	}
	return m.Duration(v)
}

// OptSeconds is [MessageBuilder.Seconds] of a value that may be absent.
//
//go:noinline
func (m MessageBuilder) OptSeconds(o taxonomy.Opt[time.Duration]) MessageBuilder {
	v, ok := o.Get()
	if !ok {
		return m.absent()
	}
	return m.Seconds(v)
}

// OptTime is [MessageBuilder.Time] of a value that may be absent.
//
//go:noinline
func (m MessageBuilder) OptTime(o taxonomy.Opt[time.Time]) MessageBuilder {
	v, ok := o.Get()
	if !ok {
		return m.absent()
	}
	return m.Time(v)
}
