package executor

import "slices"

// Observers tells each of several observers what happens, in the order in which they are given; nil
// ones are left out. One that panics misses that event, and keeps the others from none.
func Observers(all ...Observer) Observer {
	return observers(slices.DeleteFunc(slices.Clone(all), func(o Observer) bool { return o == nil }))
}

type observers []Observer

// Observe tells everyone.
func (all observers) Observe(e Event) {
	for _, o := range all {
		observe(o, e)
	}
}

// observe passes over a panic: an observer watches, and must not change what it watches.
func observe(o Observer, e Event) {
	defer func() { _ = recover() }()
	o.Observe(e)
}
