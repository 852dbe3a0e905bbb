package state

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
)

// The parts of a write-ahead log, which https://www.sqlite.org/fileformat2.html describes.
const (
	walMagic  = 0x377f0682 // the lowest bit is set if checksums are big-endian
	walHeader = 32
	walFrame  = 24 // the header of a frame, which a page follows
)

// checkLog refuses a state whose write-ahead log is damaged. SQLite would ignore the damaged
// transaction and all later ones, so a run would begin again.
func checkLog(path string) error {
	path += "-wal"
	damaged, previous := int64(-1), int64(-1)
	for { // another process can be writing: a damage stays in its place
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if damaged = damagedAt(b); damaged < 0 {
			return nil
		}
		if damaged == previous {
			return refuse("corrupt", "its write-ahead log %s is damaged at byte %d: restore a copy of both files, or "+
				"move the log away to continue with what it does not have", path, damaged)
		}
		previous = damaged
	}
}

// damagedAt returns where a log is damaged, or -1. An incomplete transaction at the end is normal
// after a kill.
func damagedAt(log []byte) int64 {
	if len(log) <= walHeader {
		return -1
	}
	word := func(b []byte, i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }
	var order binary.ByteOrder = binary.LittleEndian
	if word(log, 0)&1 != 0 {
		order = binary.BigEndian
	}
	sum := walSum{order: order}
	sum.add(log[:24])
	page := int(word(log, 2))
	if word(log, 0)&^1 != walMagic || !sum.matches(log[24:]) || page < 512 || page > math.MaxUint16+1 {
		return 0
	}
	broken := int64(-1)
	for at := walHeader; at+walFrame+page <= len(log); at += walFrame + page {
		frame := log[at:]
		if broken < 0 {
			sum.add(frame[:8])
			sum.add(frame[walFrame : walFrame+page])
			if word(frame, 2) == word(log, 4) && word(frame, 3) == word(log, 5) && sum.matches(frame[16:]) {
				continue
			}
			broken = int64(at)
		}
		// A frame with the salts of the header is not of an earlier use of the log. If it has the size
		// of the database, it commits a transaction.
		if word(frame, 2) == word(log, 4) && word(frame, 3) == word(log, 5) && word(frame, 1) != 0 {
			return broken
		}
	}
	return -1
}

// walSum is the checksum of a log.
type walSum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

func (s *walSum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		s.s0 += s.order.Uint32(b) + s.s1
		s.s1 += s.order.Uint32(b[4:]) + s.s0
	}
}

func (s *walSum) matches(b []byte) bool {
	return s.s0 == binary.BigEndian.Uint32(b) && s.s1 == binary.BigEndian.Uint32(b[4:])
}
