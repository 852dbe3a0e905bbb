package scope_test

import (
	"fmt"

	"github.com/errgen/errgen/runtime/executor/scope"
)

func Example() {
	s, err := scope.New(scope.Config{Allowed: []string{"src/**"}, Forbidden: []string{"**/.env"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"src/main.go", "src/.env", "README.md", ".git/hooks/pre-commit"} {
		_, reason := s.Explain(path)
		fmt.Println(path, reason)
	}
	// Output:
	// src/main.go src/**
	// src/.env **/.env
	// README.md it is outside the allowed patterns
	// .git/hooks/pre-commit it belongs to git
}
