package explain

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"
)

// Fact is a property of a description.
type Fact struct {
	Name  string // of the member in JSON
	Label string // for a heading, such as HTTP
	Texts []string
}

// Facts returns the texts, numbers, flags and lists of a struct of this package. If base is not
// nil, it returns only those that differ from its.
func Facts(v, base any) []Fact {
	s, other := reflect.Indirect(reflect.ValueOf(v)), reflect.Indirect(reflect.ValueOf(base))
	var out []Fact
	for i := range s.NumField() {
		field, value := s.Type().Field(i), s.Field(i).Interface()
		if base != nil && reflect.DeepEqual(value, other.Field(i).Interface()) {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		label := strings.ReplaceAll(strings.ToUpper(name[:1])+name[1:], "_", " ")
		f := Fact{Name: name, Label: cmp.Or(field.Tag.Get("label"), label)}
		switch v := value.(type) {
		case string:
			f.Texts = []string{strings.Join(strings.Fields(v), " ")}
		case bool:
			f.Texts = []string{YesNo(v)}
		case []string:
			f.Texts = v
		case int:
			f.Texts = []string{strings.TrimPrefix(strconv.Itoa(v), "0")}
		case *int:
			if v != nil {
				f.Texts = []string{strconv.Itoa(*v)}
			}
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}

// YesNo returns the word for a flag.
func YesNo(flag bool) string {
	if flag {
		return "yes"
	}
	return "no"
}
