package executor

import (
	"cmp"
	"errors"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// answer returns how the next call of an iteration ended in the process that died; ok is false when
// there was none.
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
		op := operation{name: opCall, source: cmp.Or(started.Provider, done.Error.Source)}
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
	f.before = cmp.Or(rec.Decided, &Decided{})
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
	it.judged, it.changes, it.verdicts, it.passed = true, j.Changes, j.Verdicts, j.Passed
	for len(it.verdicts) < len(it.changes) {
		it.verdicts = append(slices.Clone(it.verdicts), Forbidden)
	}
	r.unseen = true // there may be more since
	it.stopped = slices.ContainsFunc(j.Errors, ErrorRecord.endsDelivery)
	for _, rec := range j.Errors {
		if rec.Op == opCall || rec.Op == opResume || !it.stopped && it.replay.repeats(rec.Op) {
			continue // known from the answers, or found out again
		}
		f := r.restored(it, operationOf(rec), rec)
		r.react(it, f)
		f.overcome = rec.Overcome
		it.failures = append(it.failures, f)
		if it.late > 0 || delivers(rec.Op) {
			it.late++
		}
	}
	it.noted = len(it.failures)
	return true
}

// endsDelivery reports that it is an error of the delivery, which did not go on.
func (e ErrorRecord) endsDelivery() bool {
	return delivers(e.Op) && !e.Overcome && e.Action != taxonomy.Continue.String()
}

// delivers reports whether an operation is part of the delivery.
func delivers(op string) bool {
	switch op {
	case opValidate + string(PreCommit), opValidate + string(PrePush), opValidate + string(PrePR), opCommit, opPush,
		opPR:
		return true
	}
	return false
}

// repeats reports that a delivery that goes on runs the operation again, because the run died
// before what comes behind it.
func (o *open) repeats(op string) bool {
	switch op {
	case opValidate + string(PreCommit):
		return !o.committing() && !o.passed(PreCommit)
	case opCommit:
		return o.commit == nil && !o.gaveUp(op)
	case opValidate + string(PrePush):
		return !o.pushed() && !o.gaveUp(opPush) && !o.passed(PrePush)
	case opPush:
		return !o.pushed() && !o.gaveUp(op)
	case opValidate + string(PrePR):
		return o.url == "" && !o.gaveUp(opPR) && !o.passed(PrePR)
	case opPR:
		return o.url == "" && !o.gaveUp(op)
	}
	return false
}

// gaveUp reports that the work had gone on without the operation, so that it is not tried again.
func (o *open) gaveUp(op string) bool {
	return o.hasJudged() && slices.ContainsFunc(o.judged.Errors, func(e ErrorRecord) bool {
		return e.Op == op && !e.Overcome && e.Action == taxonomy.Continue.String()
	})
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
