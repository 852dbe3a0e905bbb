package openai

import (
	"fmt"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/errgen/errgen/runtime/providers/internal/chat"
	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxAnswer bounds in bytes what is kept of one response: its texts and the arguments of its
	// tool calls.
	maxAnswer = 8 << 20
	// maxCalls bounds the tool calls of one response.
	maxCalls = 128
	// maxOdd bounds in bytes what is kept of an event that is no part of an answer.
	maxOdd = 8 << 10
)

// The words of finish_reason that mean more than that the answer is there.
const (
	finishLength = "length"
	finishFilter = "content_filter"
	finishError  = "error" // of gateways
)

var (
	errAnswerTooLong = fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
	errTooManyCalls  = fmt.Errorf("the answer has more than %d tool calls", maxCalls)
)

// reply is a response as it was read from its stream.
type reply struct {
	text    strings.Builder
	refusal strings.Builder
	calls   []*toolCall
	finish  string
	// usage is the last that the server said, absent unless it said all of it.
	usage taxonomy.Opt[chat.Tokens]
	// whole reports that the stream was read to its end.
	whole bool
	// odd is the last event that is no part of an answer. Some servers say so what failed.
	odd  string
	size int
}

// toolCall is a tool that the model wants to have called.
type toolCall struct {
	index     int64
	id        string
	name      strings.Builder
	arguments strings.Builder
}

// read reads a stream to its end. What was read is in r also when there is an error.
func (r *reply) read(stream *ssestream.Stream[sdk.ChatCompletionChunk], said func(text string)) error {
	defer func() { _ = stream.Close() }()
	for stream.Next() {
		if err := r.add(stream.Current(), said); err != nil {
			return err
		}
	}
	err := stream.Err()
	r.whole = err == nil
	return err
}

func (r *reply) add(chunk sdk.ChatCompletionChunk, said func(text string)) error {
	if chunk.JSON.Usage.Valid() {
		r.usage = tokensOf(&chunk.Usage)
	}
	if len(chunk.Choices) == 0 && !chunk.JSON.Usage.Valid() {
		if raw := chunk.RawJSON(); len(raw) <= maxOdd {
			r.odd = strings.Clone(raw)
		}
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 { // one was asked for
			continue
		}
		if choice.FinishReason != "" {
			r.finish = strings.Clone(choice.FinishReason)
		}
		if err := r.delta(choice.Delta, said); err != nil {
			return err
		}
	}
	return nil
}

func (r *reply) delta(d sdk.ChatCompletionChunkChoiceDelta, said func(text string)) error {
	if err := r.grow(len(d.Content) + len(d.Refusal)); err != nil {
		return err
	}
	r.text.WriteString(d.Content)
	r.refusal.WriteString(d.Refusal)
	if d.Content != "" {
		said(d.Content)
	}
	for _, part := range d.ToolCalls {
		if err := r.grow(len(part.ID) + len(part.Function.Name) + len(part.Function.Arguments)); err != nil {
			return err
		}
		call, err := r.call(part)
		if err != nil {
			return err
		}
		call.name.WriteString(part.Function.Name)
		call.arguments.WriteString(part.Function.Arguments)
	}
	return nil
}

func (r *reply) grow(n int) error {
	if r.size += n; r.size > maxAnswer {
		return errAnswerTooLong
	}
	return nil
}

// call returns the call that a part of one belongs to. Some servers give all calls the same index,
// and tell them apart by their ids.
func (r *reply) call(part sdk.ChatCompletionChunkChoiceDeltaToolCall) (*toolCall, error) {
	for i := len(r.calls) - 1; i >= 0; i-- {
		c := r.calls[i]
		if c.index == part.Index && (part.ID == "" || c.id == "" || c.id == part.ID) {
			if c.id == "" {
				c.id = strings.Clone(part.ID)
			}
			return c, nil
		}
	}
	if len(r.calls) == maxCalls {
		return nil, errTooManyCalls
	}
	c := &toolCall{index: part.Index, id: strings.Clone(part.ID)}
	r.calls = append(r.calls, c)
	return c, nil
}

// ended returns why a stream that was read without an error is no answer, or nil.
func (r *reply) ended() error {
	switch r.finish {
	case "", finishError:
		return &stopError{reason: r.finish, kind: wire.TypeStream, text: "the stream ended before the answer did",
			odd: r.odd}
	case finishLength:
		return &stopError{reason: r.finish, kind: r.finish,
			text: "the answer was cut off: it reached the limit of tokens"}
	case finishFilter:
		return &stopError{reason: r.finish, kind: r.finish,
			text: "the answer was withheld by the provider's content filter"}
	}
	return nil
}

// identify gives the calls ids that the server left without one: results of tools name what they
// answer.
func (r *reply) identify(turn int) {
	for i, c := range r.calls {
		if c.id == "" {
			c.id = fmt.Sprintf("call_%d_%d", turn, i)
		}
	}
}
