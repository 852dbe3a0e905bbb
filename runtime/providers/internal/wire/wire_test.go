package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestMask(t *testing.T) {
	m := Mask("very-secret-key")
	assert.Equal(t, "a [REDACTED] b", m.Text("a very-secret-key b"))
	assert.Equal(t, "[REDACTED]", string(m.Bytes([]byte("very-secret-key"))))
	plain := errors.New("plain")
	assert.Same(t, plain, m.Err(plain))
	assert.NoError(t, m.Err(nil))
	assert.EqualError(t, m.Err(errors.New("with very-secret-key")), "with [REDACTED]")
	for _, short := range []Mask{"", "word"} {
		assert.Equal(t, "a word", short.Text("a word"), "a word that may stand anywhere is not looked for")
	}
	ev := &taxonomy.Evidence{Type: "very-secret-key", Attributes: map[string]string{"a": "very-secret-key"}}
	m.Evidence(ev)
	assert.Equal(t, &taxonomy.Evidence{Type: "[REDACTED]", Attributes: map[string]string{"a": "[REDACTED]"}}, ev)
	assert.NotEqual(t, Fingerprint("a", "x", "k"), Fingerprint("a", "y", "k"))
	assert.NotContains(t, Fingerprint("a", "x", "very-secret-key"), "secret")
}

func TestPageText(t *testing.T) {
	for page, want := range map[string]string{
		"<html><head><TITLE>502 Bad\n Gateway</TITLE></head><body>x": "502 Bad Gateway",
		"<title> </title><p>Blocked &amp; gone</p>":                  "Blocked & gone",
		"<script>alert(1)</script><style>p{}</style><h1>No</h1>":     "No",
		"<script>never closed":                                       "",
		"<p unfinished":                                              "",
		"":                                                           "",
		"\xff<b>bytes</b>":                                           "bytes",
	} {
		assert.Equal(t, want, pageText([]byte(page)), "%q", page)
	}
	assert.LessOrEqual(t, len(pageText([]byte("<p>"+strings.Repeat("ü ", 1<<20)))), maxPageText)
}

func TestDeadline(t *testing.T) {
	past, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	ev, err := Deadline(past, 61*time.Second, time.Minute)
	require.NoError(t, err)
	assert.Equal(t, "timeout", ev.Type)
	assert.Equal(t, map[string]string{"elapsed_ms": "61000", "timeout_ms": "60000"}, ev.Attributes)
	ev, err = Deadline(past, -1, 0)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"elapsed_ms": "0"}, ev.Attributes)

	caused, stop := context.WithCancelCause(context.Background())
	stop(context.DeadlineExceeded)
	ev, err = Deadline(caused, time.Second, time.Second)
	require.NoError(t, err, "a deadline that somebody else keeps")
	assert.NotNil(t, ev)

	why := errors.New("why")
	left, leave := context.WithCancelCause(context.Background())
	leave(why)
	ev, err = Deadline(left, time.Second, time.Second)
	assert.Nil(t, ev)
	assert.ErrorIs(t, err, why)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestLimit(t *testing.T) {
	now := time.Unix(1000, 0)
	ctx, cancel := context.WithDeadline(context.Background(), now.Add(time.Minute))
	defer cancel()
	assert.Equal(t, time.Minute, Limit(ctx, 0, now))
	assert.Equal(t, time.Second, Limit(ctx, time.Second, now))
	assert.Zero(t, Limit(ctx, 0, now.Add(time.Hour)))
	assert.Zero(t, Limit(context.Background(), 0, now))
}

func TestAddressesAreLeftOut(t *testing.T) {
	x := &Exchange{}
	ev := x.Evidence(&url.Error{Op: "Post", URL: "https://user:secret@host/path?key=secret", Err: io.EOF})
	assert.Equal(t, "EOF", ev.Text)
	assert.NotContains(t, ev.Err.Error(), "secret")
	assert.Equal(t, "network", ev.Type)
}

func TestBoundedStream(t *testing.T) {
	read := func(body string, left int) error {
		_, err := io.Copy(io.Discard, &bounded{body: io.NopCloser(strings.NewReader(body)), left: left})
		return err
	}
	line := strings.Repeat("x", 1<<20) + "\n"
	assert.NoError(t, read(strings.Repeat(line, 8), maxStream))
	assert.ErrorIs(t, read(strings.Repeat(line, 8), 4<<20), errStreamTooLong)
	assert.ErrorIs(t, read(strings.Repeat("x", 5<<20), maxStream), errEventTooLong)
}

func TestBare(t *testing.T) {
	x := &Exchange{Mask: "very-secret-key", Status: 401, Host: "host",
		Header: http.Header{"Set-Cookie": {"s"}, "X": {"very-secret-key"}}}
	req, res := x.Bare()
	assert.Empty(t, req.Header)
	assert.Equal(t, http.Header{"X": {"[REDACTED]"}}, res.Header)
	assert.Equal(t, "very-secret-key", x.Header.Get("X"), "the headers themselves are not changed")
}

func FuzzPageText(f *testing.F) {
	f.Add([]byte("<title>x</title>"))
	f.Fuzz(func(t *testing.T, page []byte) {
		assert.LessOrEqual(t, len(pageText(page)), maxPageText)
	})
}
