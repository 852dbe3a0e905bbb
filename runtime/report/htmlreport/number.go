package htmlreport

import (
	"strconv"
	"strings"
	"time"
)

// whole writes a number with its thousands apart.
func whole(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// short writes a number for an axis: 1.5k, 20M.
func short(n int) string {
	for _, unit := range []struct {
		size int
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= unit.size {
			s := strconv.FormatFloat(float64(n)/float64(unit.size), 'f', 1, 64)
			return strings.TrimSuffix(s, ".0") + unit.name
		}
	}
	return strconv.Itoa(n)
}

// share is a part of a whole between 0 and 1; 0 of nothing is 0.
func share(part, all int) float64 {
	if all <= 0 || part <= 0 {
		return 0
	}
	return min(float64(part)/float64(all), 1)
}

// percent writes a share with one decimal; only nothing is 0 %, and only all is 100 %.
func percent(share float64) string {
	switch {
	case share > 0 && share < .0005:
		return "<0.1%"
	case share >= .9995 && share < 1:
		return ">99.9%"
	}
	return strconv.FormatFloat(share*100, 'f', 1, 64) + "%"
}

// coordinate is a number for SVG, short and the same everywhere.
func coordinate(f float64) string {
	s := strconv.FormatFloat(f, 'f', 3, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func percentage(share float64) string { return coordinate(share*100) + "%" }

// stamp is a time as <time> shows it.
type stamp struct {
	Machine string
	Date    string
	Clock   string
	Sort    int64
}

// at makes a stamp in UTC; nil for no time.
func at(t time.Time) *stamp {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &stamp{Machine: t.Format(time.RFC3339), Date: t.Format("2 Jan 2006"), Clock: t.Format("15:04:05"),
		Sort: t.UnixMilli()}
}

// length writes how long something took, in its two largest units.
func length(d time.Duration) string {
	if d < time.Second {
		return "less than a second"
	}
	units := []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}}
	var parts []string
	for _, u := range units {
		if n := d / u.size; n > 0 {
			parts = append(parts, strconv.Itoa(int(n))+"\u00a0"+u.name)
			d -= n * u.size
		} else if len(parts) > 0 {
			break
		}
		if len(parts) == 2 {
			break
		}
	}
	return strings.Join(parts, " ")
}
