package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// minKey is how long a key is at least in bytes so that it is looked for. Local servers take any
// word for one, and a word may stand in any text.
const minKey = 8

// Mask is a key that is taken out of what a server says, since servers repeat what they were sent.
type Mask string

// Text returns s without the key.
func (m Mask) Text(s string) string {
	if len(m) < minKey {
		return s
	}
	return strings.ReplaceAll(s, string(m), taxonomy.Redacted)
}

// Head returns the first n bytes of s in valid UTF-8, or fewer, without the key and with what looks
// like a secret masked.
func (m Mask) Head(s string, n int) string {
	return text.Mask(func(s string) string { return text.Masked(m.Text(strings.ToValidUTF8(s, ""))) }).Head(s, n)
}

// Bytes returns b without the key; b itself if it has none.
func (m Mask) Bytes(b []byte) []byte {
	if len(m) < minKey || !bytes.Contains(b, []byte(m)) {
		return b
	}
	return bytes.ReplaceAll(b, []byte(m), []byte(taxonomy.Redacted))
}

// Err returns an error whose text does not have the key; err itself, if it has not.
func (m Mask) Err(err error) error {
	if err == nil || len(m) < minKey {
		return err
	}
	if text := err.Error(); strings.Contains(text, string(m)) {
		return errors.New(m.Text(text))
	}
	return err
}

// Evidence takes the key out of whatever a server has a say in.
func (m Mask) Evidence(ev *taxonomy.Evidence) {
	for _, s := range []*string{&ev.Type, &ev.Code, &ev.Text} {
		*s = m.Text(*s)
	}
	for name, value := range ev.Attributes {
		ev.Attributes[name] = m.Text(value)
	}
	ev.Err = m.Err(ev.Err)
}

// Fingerprint returns a name for a key of a server, from which the key cannot be found.
func Fingerprint(name, server, key string) string {
	sum := sha256.Sum256([]byte("errgen credential\x00" + server + "\x00" + key))
	return name + ":" + hex.EncodeToString(sum[:6])
}
