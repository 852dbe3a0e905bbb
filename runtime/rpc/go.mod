module github.com/errgen/errgen/runtime/rpc

go 1.26.0

require (
	connectrpc.com/connect v1.21.1
	github.com/errgen/errgen v0.0.0
	github.com/stretchr/testify v1.12.1
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260526163538-3dc84a4a5aaa
	google.golang.org/grpc v1.83.2
	google.golang.org/protobuf v1.36.12
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/net v0.58.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.42.0 // indirect
)

// For work in this repository. Modules that require this one ignore it.
replace github.com/errgen/errgen => ../..
