package escalate

import (
	"fmt"

	"github.com/errgen/errgen/runtime/executor"
)

// harmless returns a classifier that does not panic: what makes it panic stays as it is,
// uncategorized.
func harmless(classify executor.Classifier) executor.Classifier {
	if classify == nil {
		return nil
	}
	//lint:ignore ST1008 it is a Classifier
	return func(err error, source, op string) (classified error, why string) {
		defer func() {
			if p := recover(); p != nil {
				classified, why = err, bounded(fmt.Sprintf("the classifier failed: panic: %v", p))
			}
		}()
		return classify(err, source, op)
	}
}
