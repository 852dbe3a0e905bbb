package emit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGroupImports(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"none", "package p\n\nvar X = 1\n", "package p\n\nvar X = 1\n"},
		{"one", "package p\n\nimport \"fmt\"\n", "package p\n\nimport \"fmt\"\n"},
		{"standard only", "package p\n\nimport (\n\"fmt\"\n\"time\"\n)\n\nvar x",
			"package p\n\nimport (\n\t\"fmt\"\n\t\"time\"\n)\n\nvar x"},
		{"others only", "package p\n\nimport (\n\"a.b/c\"\n\"a.b/d\"\n)\n\nvar x",
			"package p\n\nimport (\n\t\"a.b/c\"\n\t\"a.b/d\"\n)\n\nvar x"},
		{"both", "package p\n\nimport (\n\"a.b/c\"\n\"encoding/json\"\n\"time\"\n)\n\nvar x",
			"package p\n\nimport (\n\t\"encoding/json\"\n\t\"time\"\n\n\t\"a.b/c\"\n)\n\nvar x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, string(groupImports([]byte(tt.in), nil)))
		})
	}
}
