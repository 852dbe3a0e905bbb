package report

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each text of an occurrence is looked at, so that a field that is added is not forgotten.
func TestFitsLooksAtEveryText(t *testing.T) {
	whole := func() *Occurrence {
		return &Occurrence{Source: &Source{}, Execution: &Execution{}, Repository: &Repository{}, Recovery: &Recovery{}}
	}
	_, ok := whole().fits()
	assert.True(t, ok)
	tooLong := strings.Repeat("x", maxStack+1)
	n := 0
	for _, part := range []string{"", "Source", "Execution", "Repository", "Recovery"} {
		of := reflect.TypeFor[Occurrence]()
		if part != "" {
			field, _ := of.FieldByName(part)
			of = field.Type.Elem()
		}
		for i := range of.NumField() {
			if of.Field(i).Type.Kind() != reflect.String {
				continue
			}
			o := whole()
			v := reflect.ValueOf(o).Elem()
			if part != "" {
				v = v.FieldByName(part).Elem()
			}
			v.Field(i).SetString(tooLong)
			_, ok := o.fits()
			assert.False(t, ok, part+"."+of.Field(i).Name)
			n++
		}
	}
	assert.Equal(t, 26, n)
}
