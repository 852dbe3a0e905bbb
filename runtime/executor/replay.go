package executor

import (
	"errors"
	"slices"
)

// answer returns how the next call of an iteration ended in the process that died; ok is false when there was none.
func (o *open) answer(r *runner, it *iteration) (a Answer, f *failure, ok bool) {
	if o == nil {
		return Answer{}, nil, false
	}
	done, ok := o.answers[it.calls+1]
	if !ok {
		return Answer{}, nil, false
	}
	it.calls++
	started := o.started[it.calls]
	it.session = started.Session
	a = Answer{Text: done.Text, Signal: done.Signal, Question: done.Question, Session: done.Session, Usage: done.Usage}
	if done.Error != nil {
		op := operation{name: opCall, source: started.Provider}
		f = r.restored(it, op, *done.Error)
	}
	return a, f, true
}

// restored returns the failure that a record is of.
func (r *runner) restored(it *iteration, op operation, rec ErrorRecord) *failure {
	f := r.failureOf(it, op, r.decoded(rec), rec.Why)
	if len(rec.Files) > 0 {
		f.hints.Files = rec.Files
	}
	f.record = rec
	return f
}

// decoded returns the error that a record is of; without a category it is only a text.
func (r *runner) decoded(rec ErrorRecord) (err error) {
	text := errors.New(rec.Message)
	if len(rec.Wire) == 0 || r.cfg.Decode == nil {
		return text
	}
	thrown := contained(operation{}, func() (failed error) {
		err, failed = r.cfg.Decode(rec.Wire)
		return failed
	})
	if thrown != nil || err == nil {
		return text
	}
	return err
}

// rejudge takes what was found before the run died. It reports whether there is something.
func (r *runner) rejudge(it *iteration) bool {
	if !it.replay.hasJudged() {
		return false
	}
	j := it.replay.judged
	it.judged, it.changes, it.verdicts = true, j.Changes, j.Verdicts
	for len(it.verdicts) < len(it.changes) {
		it.verdicts = append(slices.Clone(it.verdicts), Forbidden)
	}
	for _, rec := range j.Errors {
		if rec.Op == opCall || rec.Op == opResume {
			continue // known from the answers
		}
		f := r.restored(it, operationOf(rec), rec)
		r.react(it, f)
		f.overcome = rec.Overcome
		it.failures = append(it.failures, f)
	}
	return true
}

// operationOf returns the operation that a record names.
func operationOf(rec ErrorRecord) operation {
	switch rec.Op {
	case opDetect, opSave, opRevert:
		return guardOp(rec.Op, rec.Source, rec.Files)
	case opScope, opAsk:
		op := guardOp(rec.Op, rec.Source, rec.Files)
		op.single = true
		return op
	case opCommit, opPush, opPR:
		return operation{name: rec.Op, source: rec.Source, class: classDeliver, files: rec.Files}
	}
	return operation{name: rec.Op, source: rec.Source, files: rec.Files}
}
