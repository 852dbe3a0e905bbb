package tested

import "testing"

func TestBig(t *testing.T) {
	if Big(3) || !Big(4) {
		t.Fatal("3 is not big, 4 is")
	}
}
