package gen

import (
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// OptClean is [ObjectBuilder.Clean] of a value that is left out when it is absent.
//
//go:noinline
func (o ObjectBuilder) OptClean(key string, v taxonomy.Opt[string], c Clean) ObjectBuilder {
	s, ok := v.Get()
	if !ok {
		return o
	}
	o.b = appendClean(appendKey(o.b, key), s, c)
	return o
}

// OptString is [ObjectBuilder.String] of a value that is left out when it is absent.
//
//go:noinline
func (o ObjectBuilder) OptString(key string, v taxonomy.Opt[string]) ObjectBuilder {
	x, ok := v.Get()
	if !ok {
		return o
	}
	o.b = appendString(appendKey(o.b, key), x)
	return o
}

// OptInt is [ObjectBuilder.Int] of a value that is left out when it is absent.
//
//go:noinline
func (o ObjectBuilder) OptInt(key string, v taxonomy.Opt[int]) ObjectBuilder {
	x, ok := v.Get()
	if !ok {
		return o
	}
	o.b = appendInt(appendKey(o.b, key), int64(x))
	return o
}

// OptInt64 is [ObjectBuilder.Int64] of a value that is left out when it is absent.
//
//go:noinline
func (o ObjectBuilder) OptInt64(key string, v taxonomy.Opt[int64]) ObjectBuilder {
	x, ok := v.Get()
	if !ok {
		return o
	}
	o.b = appendInt(appendKey(o.b, key), x)
	return o
}

// OptUint64 is [ObjectBuilder.Uint64] of a value that is left out when it is absent.
//
//go:noinline
func (o ObjectBuilder) OptUint64(key string, v taxonomy.Opt[uint64]) ObjectBuilder {
	x, ok := v.Get()
	if !ok {
		return o
	}
	return o.Uint64(key, x)
}

// OptFloat64 is [ObjectBuilder.Float64] of a value that is left out when it is absent.
//
//go:noinline
func (o ObjectBuilder) OptFloat64(key string, v taxonomy.Opt[float64]) ObjectBuilder {
	x, ok := v.Get()
	if !ok {
		return o
	}
	return o.Float64(key, x)
}

// OptBool is [ObjectBuilder.Bool] of a value that is left out when it is absent.
//
//go:noinline
func (o ObjectBuilder) OptBool(key string, v taxonomy.Opt[bool]) ObjectBuilder {
	x, ok := v.Get()
	if !ok {
		return o
	}
	o.b = strconv.AppendBool(appendKey(o.b, key), x)
	return o
}

// OptDuration is [ObjectBuilder.Duration] of a value that is left out when it is absent.
//
//go:noinline
func (o ObjectBuilder) OptDuration(key string, v taxonomy.Opt[time.Duration]) ObjectBuilder {
	x, ok := v.Get()
	if !ok {
		return o
	}
	return o.Duration(key, x)
}

// OptTime is [ObjectBuilder.Time] of a value that is left out when it is absent.
//
//go:noinline
func (o ObjectBuilder) OptTime(key string, v taxonomy.Opt[time.Time]) ObjectBuilder {
	x, ok := v.Get()
	if !ok {
		return o
	}
	return o.Time(key, x)
}
