package sample

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// KindsCode is a code of [KindsError]. The zero KindsCode is no code.
type KindsCode uint16

// CodeKinds has a field of each type, required and optional.
const CodeKinds KindsCode = 1

// Error returns the code's value on the wire.
func (c KindsCode) Error() string { return gen.CodeValue(c.Row(), &definition) }

// String returns the code's value on the wire.
func (c KindsCode) String() string { return gen.CodeValue(c.Row(), &definition) }

// Taxonomy returns the taxonomy that the code belongs to.
func (c KindsCode) Taxonomy() *taxonomy.Taxonomy { return &definition }

// Row returns the code's row, without any `when` branch.
func (c KindsCode) Row() taxonomy.Row { return gen.CodeRow(uint16(c), 7, 1) }

// Reaction returns what is to be done about the code, without any `when` branch.
func (c KindsCode) Reaction() taxonomy.Reaction { return *definition.Rows[c.Row()].Reaction }

// MarshalText returns the code's value on the wire; no code is an error.
func (c KindsCode) MarshalText() ([]byte, error) { return gen.MarshalCode(c.Row(), &definition) }

// UnmarshalText reads a value or alias of one of these codes.
func (c *KindsCode) UnmarshalText(text []byte) error {
	n, err := gen.UnmarshalCode(text, &definition, categoryKinds)
	if err != nil {
		return err
	}
	*c = KindsCode(n)
	return nil
}

// KindsError has a field of each type. Its factories are the only way to give it a code.
type KindsError struct {
	code  KindsCode
	cause error

	Str      string                      `json:"str"`
	Num      int                         `json:"num"`
	Big      int64                       `json:"big"`
	Size     uint64                      `json:"size"`
	Ratio    float64                     `json:"ratio"`
	Flag     bool                        `json:"flag"`
	Took     time.Duration               `json:"took"`
	At       time.Time                   `json:"at"`
	Mood     WorkDecision                `json:"mood"`
	List     []string                    `json:"list"`
	Data     json.RawMessage             `json:"data"`
	Run      Run                         `json:"run"`
	Pin      taxonomy.Secret[int]        `json:"pin"`
	OptStr   taxonomy.Opt[string]        `json:"optStr,omitzero"`
	OptNum   taxonomy.Opt[int]           `json:"optNum,omitzero"`
	OptBig   taxonomy.Opt[int64]         `json:"optBig,omitzero"`
	OptSize  taxonomy.Opt[uint64]        `json:"optSize,omitzero"`
	OptRatio taxonomy.Opt[float64]       `json:"optRatio,omitzero"`
	OptFlag  taxonomy.Opt[bool]          `json:"optFlag,omitzero"`
	OptTook  taxonomy.Opt[time.Duration] `json:"optTook,omitzero"`
	OptAt    taxonomy.Opt[time.Time]     `json:"optAt,omitzero"`
	OptMood  taxonomy.Opt[WorkDecision]  `json:"optMood,omitzero"`
	OptList  []string                    `json:"optList,omitempty"`
	OptData  json.RawMessage             `json:"optData,omitempty"`
	OptRun   taxonomy.Opt[Run]           `json:"optRun,omitzero"`
	OptPin   taxonomy.Secret[int]        `json:"optPin,omitzero"`
}

// NewKinds returns a [CodeKinds].
func NewKinds(str string, num int, big int64, size uint64, ratio float64, flag bool, took time.Duration, at time.Time, mood WorkDecision, list []string, data json.RawMessage, run Run, pin int) *KindsError {
	return &KindsError{
		code:  CodeKinds,
		Str:   str,
		Num:   num,
		Big:   big,
		Size:  size,
		Ratio: ratio,
		Flag:  flag,
		Took:  took,
		At:    at,
		Mood:  gen.Enum(mood, countWorkDecision),
		List:  gen.CloneStrings(list),
		Data:  gen.CloneJSON(data),
		Run:   run,
		Pin:   taxonomy.SecretOf(pin),
	}
}

// WithOptStr returns a copy of e with the value.
func (e *KindsError) WithOptStr(v string) *KindsError {
	c := *e
	c.OptStr = taxonomy.Some(v)
	return &c
}

// WithOptNum returns a copy of e with the value.
func (e *KindsError) WithOptNum(v int) *KindsError {
	c := *e
	c.OptNum = taxonomy.Some(v)
	return &c
}

// WithOptBig returns a copy of e with the value.
func (e *KindsError) WithOptBig(v int64) *KindsError {
	c := *e
	c.OptBig = taxonomy.Some(v)
	return &c
}

// WithOptSize returns a copy of e with the value.
func (e *KindsError) WithOptSize(v uint64) *KindsError {
	c := *e
	c.OptSize = taxonomy.Some(v)
	return &c
}

// WithOptRatio returns a copy of e with the value.
func (e *KindsError) WithOptRatio(v float64) *KindsError {
	c := *e
	c.OptRatio = taxonomy.Some(v)
	return &c
}

// WithOptFlag returns a copy of e with the value.
func (e *KindsError) WithOptFlag(v bool) *KindsError {
	c := *e
	c.OptFlag = taxonomy.Some(v)
	return &c
}

// WithOptTook returns a copy of e with the value.
func (e *KindsError) WithOptTook(v time.Duration) *KindsError {
	c := *e
	c.OptTook = taxonomy.Some(v)
	return &c
}

// WithOptAt returns a copy of e with the value.
func (e *KindsError) WithOptAt(v time.Time) *KindsError {
	c := *e
	c.OptAt = taxonomy.Some(v)
	return &c
}

// WithOptMood returns a copy of e with the value.
func (e *KindsError) WithOptMood(v WorkDecision) *KindsError {
	c := *e
	c.OptMood = gen.SomeEnum(v, countWorkDecision)
	return &c
}

// WithOptList returns a copy of e with the value.
func (e *KindsError) WithOptList(v []string) *KindsError {
	c := *e
	c.OptList = gen.CloneStrings(v)
	return &c
}

// WithOptData returns a copy of e with the value.
func (e *KindsError) WithOptData(v json.RawMessage) *KindsError {
	c := *e
	c.OptData = gen.CloneJSON(v)
	return &c
}

// WithOptRun returns a copy of e with the value.
func (e *KindsError) WithOptRun(v Run) *KindsError {
	c := *e
	c.OptRun = taxonomy.Some(v)
	return &c
}

// WithOptPin returns a copy of e with the value.
func (e *KindsError) WithOptPin(v int) *KindsError {
	c := *e
	c.OptPin = taxonomy.SecretOf(v)
	return &c
}

// WithCause returns a copy of e with the cause.
func (e *KindsError) WithCause(cause error) *KindsError {
	c := *e
	c.cause = cause
	return &c
}

// Code returns the code; zero when e has none.
func (e *KindsError) Code() KindsCode { return e.code }

// Error returns the message.
func (e *KindsError) Error() string {
	var buf [128]byte
	return string(e.AppendMessage(buf[:0]))
}

// Unwrap returns the cause, or nil.
func (e *KindsError) Unwrap() error { return e.cause }

// Is reports whether target is e's code.
func (e *KindsError) Is(target error) bool {
	c, ok := target.(KindsCode)
	return ok && c == e.code && c != 0
}

// As sets a *KindsCode to e's code.
func (e *KindsError) As(target any) bool {
	c, ok := target.(*KindsCode)
	if !ok || e.code == 0 {
		return false
	}
	*c = e.code
	return true
}

// Taxonomy returns the taxonomy that e belongs to.
func (e *KindsError) Taxonomy() *taxonomy.Taxonomy { return &definition }

// Row returns the row that the code selects.
func (e *KindsError) Row() taxonomy.Row { return e.code.Row() }

// AppendMessage appends the message.
func (e *KindsError) AppendMessage(dst []byte) []byte {
	m := gen.Message(dst)
	switch e.code {
	case CodeKinds:
		m = m.Text("str=").String(e.Str).Begin(" opt=").OptString(e.OptStr).End(";").Text(" ")
		m = m.Text("num=").Int(e.Num).Begin(" opt=").OptInt(e.OptNum).End(";").Text(" ")
		m = m.Text("big=").Int64(e.Big).Begin(" opt=").OptInt64(e.OptBig).End(";").Text(" ")
		m = m.Text("size=").Uint64(e.Size).Begin(" opt=").OptUint64(e.OptSize).End(";").Text(" ")
		m = m.Text("ratio=").Float64(e.Ratio).Begin(" opt=").OptFloat64(e.OptRatio).End(";").Text(" ")
		m = m.Text("flag=").Bool(e.Flag).Begin(" opt=").OptBool(e.OptFlag).End(";").Text(" ")
		m = m.Text("took=").Duration(e.Took).Begin(" opt=").OptDuration(e.OptTook).End(";").Text(" ")
		m = m.Text("at=").Time(e.At).Begin(" opt=").OptTime(e.OptAt).End(";").Text(" ")
		m = m.Text("secs=").Seconds(e.Took).Begin("/").OptSeconds(e.OptTook).End("").Text(" ")
		m = m.Text("quoted=").Quoted(e.Str, 0).Begin("/").OptQuoted(e.OptStr, gen.Scrub).End("").Text(" ")
		m = m.Text("line=").Line(e.Str, gen.Scrub).Text(" ")
		m = m.Text("mood=").String(e.Mood.String()).Begin("/").String(e.OptMood.Or(0).String()).End("").Text(" ")
		m = m.Text("list=").Strings(e.List, 0).Begin("/").Count(len(e.OptList)).Text(":").Strings(e.OptList, gen.Scrub).End("").Text(" ")
		m = m.Text("data=").JSON(e.Data).Begin("/").JSON(e.OptData)
		m = m.Begin(" cause=").CauseLine(e.cause).Text("/").CauseQuoted(e.cause)
	default:
		m = m.NoCode("kinds")
	}
	return m.Bytes()
}

// AppendContext appends the context as a JSON object, secrets masked.
func (e *KindsError) AppendContext(dst []byte) []byte {
	o := gen.Object(dst)
	o = o.String("str", e.Str)
	o = o.Int("num", e.Num)
	o = o.Int64("big", e.Big)
	o = o.Uint64("size", e.Size)
	o = o.Float64("ratio", e.Ratio)
	o = o.Bool("flag", e.Flag)
	o = o.Duration("took", e.Took)
	o = o.Time("at", e.At)
	o = o.Enum("mood", e.Mood.String())
	o = o.Strings("list", e.List, 0)
	o = o.JSON("data", e.Data)
	o = e.Run.appendTo(o.Begin("run")).End()
	o = o.Secret("pin", !e.Pin.IsZero())
	o = o.OptString("optStr", e.OptStr)
	o = o.OptInt("optNum", e.OptNum)
	o = o.OptInt64("optBig", e.OptBig)
	o = o.OptUint64("optSize", e.OptSize)
	o = o.OptFloat64("optRatio", e.OptRatio)
	o = o.OptBool("optFlag", e.OptFlag)
	o = o.OptDuration("optTook", e.OptTook)
	o = o.OptTime("optAt", e.OptAt)
	o = o.OptEnum("optMood", e.OptMood.Or(0).String())
	o = o.OptStrings("optList", e.OptList, 0)
	o = o.OptJSON("optData", e.OptData)
	if v, ok := e.OptRun.Get(); ok {
		o = v.appendTo(o.Begin("optRun")).End()
	}
	o = o.OptSecret("optPin", !e.OptPin.IsZero())
	return o.Close()
}

// LogValue returns the error as structured attributes, secrets masked.
func (e *KindsError) LogValue() slog.Value {
	l := gen.Log(e, categoryKinds)
	l = l.String("str", e.Str)
	l = l.Int("num", e.Num)
	l = l.Int64("big", e.Big)
	l = l.Uint64("size", e.Size)
	l = l.Float64("ratio", e.Ratio)
	l = l.Bool("flag", e.Flag)
	l = l.Duration("took", e.Took)
	l = l.Time("at", e.At)
	l = l.Enum("mood", e.Mood.String())
	l = l.Strings("list", e.List, 0)
	l = l.JSON("data", e.Data)
	l = e.Run.logTo(l.Begin("run")).End()
	l = l.Secret("pin", !e.Pin.IsZero())
	l = l.OptString("optStr", e.OptStr)
	l = l.OptInt("optNum", e.OptNum)
	l = l.OptInt64("optBig", e.OptBig)
	l = l.OptUint64("optSize", e.OptSize)
	l = l.OptFloat64("optRatio", e.OptRatio)
	l = l.OptBool("optFlag", e.OptFlag)
	l = l.OptDuration("optTook", e.OptTook)
	l = l.OptTime("optAt", e.OptAt)
	l = l.OptEnum("optMood", e.OptMood.Or(0).String())
	l = l.OptStrings("optList", e.OptList, 0)
	l = l.OptJSON("optData", e.OptData)
	if v, ok := e.OptRun.Get(); ok {
		l = v.logTo(l.Begin("optRun")).End()
	}
	l = l.OptSecret("optPin", !e.OptPin.IsZero())
	return l.Value()
}

// AppendJSON appends the error as a JSON object, secrets masked.
func (e *KindsError) AppendJSON(dst []byte) []byte { return gen.AppendJSON(dst, e, categoryKinds) }

// MarshalJSON returns the error as a JSON object, secrets masked.
func (e *KindsError) MarshalJSON() ([]byte, error) { return gen.MarshalJSON(e, categoryKinds) }

// UnmarshalJSON reads what MarshalJSON wrote; the JSON of another type of error is refused.
func (e *KindsError) UnmarshalJSON(b []byte) error {
	back, err := UnmarshalError(b)
	if err != nil {
		return err
	}
	typed, ok := back.(*KindsError)
	if !ok {
		return gen.WrongType(back)
	}
	*e = *typed
	return nil
}

// Format prints the message; %+v also prints code, context and causes.
func (e *KindsError) Format(s fmt.State, verb rune) { gen.Format(s, verb, e, categoryKinds) }

func (e *KindsError) decodeField(d *gen.Decoder) {
	switch string(d.Key()) {
	case "str":
		d.String(&e.Str)
	case "num":
		d.Int(&e.Num)
	case "big":
		d.Int64(&e.Big)
	case "size":
		d.Uint64(&e.Size)
	case "ratio":
		d.Float64(&e.Ratio)
	case "flag":
		d.Bool(&e.Flag)
	case "took":
		d.Duration(&e.Took)
	case "at":
		d.Time(&e.At)
	case "mood":
		gen.DecodeEnum(d, &e.Mood, wordsWorkDecision)
	case "list":
		d.Strings(&e.List)
	case "data":
		d.JSON(&e.Data)
	case "run":
		if d.Open() {
			for d.Next() {
				e.Run.decodeField(d)
			}
		}
	case "pin":
		d.Secret(&e.Pin)
	case "optStr":
		d.OptString(&e.OptStr)
	case "optNum":
		d.OptInt(&e.OptNum)
	case "optBig":
		d.OptInt64(&e.OptBig)
	case "optSize":
		d.OptUint64(&e.OptSize)
	case "optRatio":
		d.OptFloat64(&e.OptRatio)
	case "optFlag":
		d.OptBool(&e.OptFlag)
	case "optTook":
		d.OptDuration(&e.OptTook)
	case "optAt":
		d.OptTime(&e.OptAt)
	case "optMood":
		gen.DecodeOptEnum(d, &e.OptMood, wordsWorkDecision)
	case "optList":
		d.Strings(&e.OptList)
	case "optData":
		d.JSON(&e.OptData)
	case "optRun":
		if d.Open() {
			var v Run
			for d.Next() {
				v.decodeField(d)
			}
			e.OptRun = taxonomy.Some(v)
		}
	case "optPin":
		d.Secret(&e.OptPin)
	default:
		d.Skip()
	}
}
