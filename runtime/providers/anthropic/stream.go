package anthropic

import (
	"errors"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"
)

const (
	// maxAnswer bounds in bytes what is kept of one answer.
	maxAnswer = 8 << 20
	// maxBlocks bounds the blocks of one answer.
	maxBlocks = 1024
)

// Why a stream is no answer.
var (
	errUnfinished    = errors.New("the stream ended before the message did")
	errAnswerTooLong = fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
	errTooManyBlocks = fmt.Errorf("the answer has more than %d blocks", maxBlocks)
	errNoBlock       = errors.New("the stream adds to a block that has not begun")
)

// reply is an answer as it was read from its stream. The SDK's own accumulation is not used: it
// takes arguments of a tool that are no JSON for none at all.
type reply struct {
	blocks []*block
	stop   sdk.StopReason
	// explanation is why the model refused.
	explanation string
	usage       usage
	whole       bool
	size        int
}

// block is a block of content.
type block struct {
	kind      string // "text", "tool_use", "thinking", "redacted_thinking", or one that is left out
	id, name  string
	text      strings.Builder // also of thinking, and the data of what is redacted
	signature string
	arguments strings.Builder
}

// read reads a stream to its end. What was read is in r also when there is an error.
func (r *reply) read(stream *ssestream.Stream[sdk.MessageStreamEventUnion], said func(text string)) error {
	defer stream.Close()
	for !r.whole && stream.Next() {
		event := stream.Current()
		if err := r.add(&event, said); err != nil {
			return err
		}
	}
	if err := stream.Err(); err != nil {
		return err
	}
	if !r.whole {
		return errUnfinished
	}
	return r.stopped()
}

// add takes an event.
func (r *reply) add(event *sdk.MessageStreamEventUnion, said func(text string)) error {
	switch event.Type {
	case "message_start":
		r.usage.start(&event.Message.Usage)
	case "message_delta":
		r.usage.update(&event.Usage)
		r.stop = sdk.StopReason(strings.Clone(string(event.Delta.StopReason)))
		r.explanation = strings.Clone(event.Delta.StopDetails.Explanation)
	case "message_stop":
		r.whole = true
	case "content_block_start":
		return r.begin(event)
	case "content_block_delta":
		return r.delta(event)
	case "content_block_stop":
		if b, err := r.block(event.Index); err == nil && b.kind == "text" {
			said(b.text.String())
		}
	}
	return nil
}

// begin takes the beginning of a block.
func (r *reply) begin(event *sdk.MessageStreamEventUnion) error {
	if len(r.blocks) == maxBlocks {
		return errTooManyBlocks
	}
	if event.Index != int64(len(r.blocks)) {
		return errNoBlock
	}
	c := &event.ContentBlock
	b := &block{kind: strings.Clone(c.Type), id: strings.Clone(c.ID), name: strings.Clone(c.Name),
		signature: strings.Clone(c.Signature)}
	b.text.WriteString(c.Text)
	b.text.WriteString(c.Thinking)
	b.text.WriteString(c.Data)
	r.blocks = append(r.blocks, b)
	return r.grow(b.text.Len() + len(b.name) + len(b.id))
}

// delta takes more of a block.
func (r *reply) delta(event *sdk.MessageStreamEventUnion) error {
	b, err := r.block(event.Index)
	if err != nil {
		return err
	}
	d := &event.Delta
	if err := r.grow(len(d.Text) + len(d.PartialJSON) + len(d.Thinking) + len(d.Signature)); err != nil {
		return err
	}
	b.text.WriteString(d.Text)
	b.text.WriteString(d.Thinking)
	b.arguments.WriteString(d.PartialJSON)
	b.signature += d.Signature
	return nil
}

func (r *reply) block(index int64) (*block, error) {
	if index < 0 || index >= int64(len(r.blocks)) {
		return nil, errNoBlock
	}
	return r.blocks[index], nil
}

func (r *reply) grow(n int) error {
	if r.size += n; r.size > maxAnswer {
		return errAnswerTooLong
	}
	return nil
}

// stopped returns why a whole message is no answer, or nil.
func (r *reply) stopped() error {
	switch r.stop {
	case sdk.StopReasonEndTurn, sdk.StopReasonStopSequence, sdk.StopReasonToolUse, sdk.StopReasonPauseTurn:
		return nil
	case "":
		return errUnfinished
	case sdk.StopReasonMaxTokens:
		return &stopError{string(r.stop), "the answer was cut off: it reached the limit of tokens"}
	case sdk.StopReasonRefusal:
		return &stopError{string(r.stop), orText(r.explanation, "the model refused to answer")}
	}
	return &stopError{string(r.stop), "the answer stopped: " + string(r.stop)}
}

// calls returns the tools that the model wants to have called.
func (r *reply) calls() []*block {
	var calls []*block
	for _, b := range r.blocks {
		if b.kind == "tool_use" {
			calls = append(calls, b)
		}
	}
	return calls
}

// text returns what the model said.
func (r *reply) text() string {
	var b strings.Builder
	for _, x := range r.blocks {
		if x.kind == "text" {
			b.WriteString(x.text.String())
		}
	}
	return strings.TrimSpace(b.String())
}

func orText(s, def string) string {
	if s == "" {
		return def
	}
	return s
}
