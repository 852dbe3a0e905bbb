package main

import "slices"

// standing is how a task of the queue stands.
type standing uint8

const (
	waiting standing = iota
	done
	failed
	skipped
)

// queue is the tasks in the order of their file, and how they stand.
type queue struct {
	tasks []task
	stand map[string]standing
	// regardless has a task done although one that it depends on is not.
	regardless bool
}

func newQueue(tasks []task, regardless bool) *queue {
	return &queue{tasks: tasks, stand: make(map[string]standing, len(tasks)), regardless: regardless}
}

// next returns the first task of the file that is waiting and for which everything it depends on is
// settled; false when there is none.
func (q *queue) next() (*task, bool) {
	for i := range q.tasks {
		t := &q.tasks[i]
		if q.stand[t.ID] == waiting && !slices.ContainsFunc(
			t.DependsOn, func(id string) bool { return q.stand[id] == waiting }) {
			return t, true
		}
	}
	return nil, false
}

// hindered returns a task that t depends on and that is not done, unless t is to be done
// regardless.
func (q *queue) hindered(t *task) (by string, is bool) {
	if q.regardless {
		return "", false
	}
	i := slices.IndexFunc(t.DependsOn, func(id string) bool { return q.stand[id] != done })
	if i < 0 {
		return "", false
	}
	return t.DependsOn[i], true
}

// find returns the task of the ID, or nil.
func (q *queue) find(id string) *task {
	i := slices.IndexFunc(q.tasks, func(t task) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return &q.tasks[i]
}

// count returns how many tasks are done.
func (q *queue) count() int {
	n := 0
	for _, t := range q.tasks {
		if q.stand[t.ID] == done {
			n++
		}
	}
	return n
}
