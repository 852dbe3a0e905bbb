package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/spec"
)

func BenchmarkParse(b *testing.B) {
	for _, codes := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(codes), func(b *testing.B) {
			src := []byte(large(codes))
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				_, findings := spec.Parse("taxonomy.yaml", src)
				require.Empty(b, findings)
			}
		})
	}
}

// large returns a taxonomy of many codes, twenty to a category.
func large(codes int) string {
	var b strings.Builder
	b.WriteString("errgen: 1\npackage: shop\nreactions: {again: {action: retry}}\ncategories:\n")
	for i := range codes {
		if i%20 == 0 {
			fmt.Fprintf(
				&b, "  part%d:\n    doc: A part.\n    fields: {id: {type: string, required: true}, size: {type: "+
					"int}, text: {type: string, scrub: true}}\n    codes:\n", i/20)
		}
		fmt.Fprintf(
			&b, "      CODE_%d:\n        number: %d\n        doc: The code number %d.\n        message: 'part {id} "+
				"failed[ with {size}][: {text}]'\n"+
				"        retryable: true\n        reaction: again\n        when: [{if: {size: {min: 400, max: 499}}, "+
				"retryable: false, reaction: abort}]\n"+
				"        detect: [{source: shop, status: %d}]\n        examples: [{source: shop, status: %d}]\n", i,
			i+1, i,
			100+i%500, 100+i%500)
	}
	return b.String()
}
