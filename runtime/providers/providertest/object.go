package providertest

import (
	"encoding/json"
	"strconv"
)

// object is a JSON object.
type object map[string]any

func (o object) json() string {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err) // the objects here are made of texts and numbers
	}
	return string(b)
}

func orNumber(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
