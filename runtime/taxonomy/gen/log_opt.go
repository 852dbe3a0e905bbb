package gen

import (
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// OptClean is [LogBuilder.Clean] of a value that is left out when it is absent.
//
//go:noinline
func (l LogBuilder) OptClean(key string, v taxonomy.Opt[string], c Clean) LogBuilder {
	s, ok := v.Get()
	if !ok {
		return l
	}
	return l.Clean(key, s, c)
}

// OptString is [LogBuilder.String] of a value that is left out when it is absent.
//
//go:noinline
func (l LogBuilder) OptString(key string, v taxonomy.Opt[string]) LogBuilder {
	x, ok := v.Get()
	if !ok {
		return l
	}
	return l.String(key, x)
}

// OptInt is [LogBuilder.Int] of a value that is left out when it is absent.
//
//go:noinline
func (l LogBuilder) OptInt(key string, v taxonomy.Opt[int]) LogBuilder {
	x, ok := v.Get()
	if !ok {
		return l
	}
	return l.Int(key, x)
}

// OptInt64 is [LogBuilder.Int64] of a value that is left out when it is absent.
//
//go:noinline
func (l LogBuilder) OptInt64(key string, v taxonomy.Opt[int64]) LogBuilder {
	x, ok := v.Get()
	if !ok {
		return l
	}
	return l.Int64(key, x)
}

// OptUint64 is [LogBuilder.Uint64] of a value that is left out when it is absent.
//
//go:noinline
func (l LogBuilder) OptUint64(key string, v taxonomy.Opt[uint64]) LogBuilder {
	x, ok := v.Get()
	if !ok {
		return l
	}
	return l.Uint64(key, x)
}

// OptFloat64 is [LogBuilder.Float64] of a value that is left out when it is absent.
//
//go:noinline
func (l LogBuilder) OptFloat64(key string, v taxonomy.Opt[float64]) LogBuilder {
	x, ok := v.Get()
	if !ok {
		return l
	}
	return l.Float64(key, x)
}

// OptBool is [LogBuilder.Bool] of a value that is left out when it is absent.
//
//go:noinline
func (l LogBuilder) OptBool(key string, v taxonomy.Opt[bool]) LogBuilder {
	x, ok := v.Get()
	if !ok {
		return l
	}
	return l.Bool(key, x)
}

// OptDuration is [LogBuilder.Duration] of a value that is left out when it is absent.
//
//go:noinline
func (l LogBuilder) OptDuration(key string, v taxonomy.Opt[time.Duration]) LogBuilder {
	x, ok := v.Get()
	if !ok {
		return l
	}
	return l.Duration(key, x)
}

// OptTime is [LogBuilder.Time] of a value that is left out when it is absent.
//
//go:noinline
func (l LogBuilder) OptTime(key string, v taxonomy.Opt[time.Time]) LogBuilder {
	x, ok := v.Get()
	if !ok {
		return l
	}
	return l.Time(key, x)
}
