package executor_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/executor"
)

type observerFunc func(e executor.Event)

func (f observerFunc) Observe(e executor.Event) { f(e) }

func TestObservers(t *testing.T) {
	var heard []string
	hears := func(name string) executor.Observer {
		return observerFunc(func(e executor.Event) { heard = append(heard, name+" "+string(e.Kind)) })
	}
	panics := observerFunc(func(executor.Event) { panic("no") })
	var none observerFunc
	all := executor.Observers(hears("a"), nil, panics, none, hears("b"))
	all.Observe(executor.Event{Kind: executor.Paused})
	all.Observe(executor.Event{Kind: executor.Unpaused})
	assert.Equal(t, []string{"a paused", "b paused", "a unpaused", "b unpaused"}, heard)
	executor.Observers().Observe(executor.Event{})
}
