package claudecli

import "bytes"

// maxLine bounds a line of the stream in bytes. A longer one is passed over.
const maxLine = 4 << 20

// lines cuts what is written to it into lines, and hands on each that is not too long. It keeps at
// most one line.
type lines struct {
	buf     []byte
	line    func([]byte)
	tooLong bool  // the line that is being read
	skipped int64 // lines that were too long
}

// Write takes a piece of the stream and never fails.
func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.keep(p)
			return n, nil
		}
		l.finish(p[:end])
		p = p[end+1:]
	}
}

// keep keeps the beginning of a line.
func (l *lines) keep(p []byte) {
	if l.tooLong || len(l.buf)+len(p) > maxLine {
		l.tooLong, l.buf = true, nil
		return
	}
	l.buf = append(l.buf, p...)
}

// finish hands on the line that p is the end of.
func (l *lines) finish(p []byte) {
	switch {
	case l.tooLong || len(l.buf)+len(p) > maxLine:
		l.skipped++
	case len(l.buf) == 0:
		l.line(p) // without a copy
	default:
		l.buf = append(l.buf, p...)
		l.line(l.buf)
	}
	l.tooLong = false
	if cap(l.buf) > maxIdle {
		l.buf = nil // or one long line would be kept for the whole call
	}
	l.buf = l.buf[:0]
}

// maxIdle is how much of a buffer is kept between lines.
const maxIdle = 64 << 10

// Close hands on a last line that nothing ended.
func (l *lines) Close() {
	if l.tooLong || len(l.buf) > 0 {
		l.finish(nil)
	}
}
