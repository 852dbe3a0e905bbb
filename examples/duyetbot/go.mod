module bot.example.com/duyetbot

go 1.26.0

tool github.com/errgen/errgen/cmd/errgen

require (
	github.com/errgen/errgen v0.0.0
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/failsafe-go/failsafe-go v0.9.8 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/term v0.47.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

// Only because this module lives in errgen's repository. In one of your own there is no such line, and
// go get -tool github.com/errgen/errgen/cmd/errgen@latest writes the rest.
replace github.com/errgen/errgen => ../..
