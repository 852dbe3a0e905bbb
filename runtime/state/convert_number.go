package state

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// number reads a number. One that is too large is infinite.
func (r *jsonReader) number(what string) (float64, error) {
	b, err := r.peek()
	if err != nil {
		return 0, err
	}
	at := r.at
	if b != '-' && (b < '0' || b > '9') {
		return 0, r.fail(at, "%s is expected to be a number, and is %s", what, kind(b))
	}
	digits, err := r.digits(at)
	if err != nil {
		return 0, err
	}
	if !json.Valid([]byte(digits)) {
		return 0, r.fail(at, "this is no number")
	}
	n, err := strconv.ParseFloat(digits, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil
	}
	return n, err
}

// digits takes all that can be in a number.
func (r *jsonReader) digits(at place) (string, error) {
	var digits []byte
	for {
		b, err := r.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return string(digits), nil
		}
		if err != nil {
			return "", err
		}
		if err := r.in.UnreadByte(); err != nil {
			return "", err
		}
		if (b < '0' || b > '9') && b != '-' && b != '+' && b != '.' && b != 'e' && b != 'E' {
			return string(digits), nil
		}
		if len(digits) == maxNumber {
			return "", r.fail(at, "a number has more than %d characters", maxNumber)
		}
		if b, err = r.next(); err != nil {
			return "", err
		}
		digits = append(digits, b)
	}
}
