package detection_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/detection"
)

func TestSensitive(t *testing.T) {
	m := build(t, `
categories:
  a:
    fields:
      key: {type: string, sensitive: true, from: [credential, code]}
      plain: {type: string, from: type}
      account:
        type: object
        fields:
          name: {type: string, from: attributes.name}
          token: {type: string, sensitive: true, from: [attributes.token, credential]}
    codes:
      A: {message: m, detect: [{status: 401}]}
  b:
    fields:
      said: {type: string, sensitive: true, from: text}
      none: {type: string, sensitive: true}
    codes:
      B: {message: m}
`)
	assert.Equal(t, []string{"attributes.token", "code", "credential", "text"}, detection.Rules(m).Sensitive)
	assert.Empty(t, detection.Rules(withRules(t, "{status: 401}")).Sensitive)
}
