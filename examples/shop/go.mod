module shop.example.com/shop

go 1.26.0

tool github.com/errgen/errgen/cmd/errgen

require (
	github.com/errgen/errgen v0.0.0
	github.com/errgen/errgen/runtime/dberr/pgxerr v0.0.0-00010101000000-000000000000
	github.com/errgen/errgen/runtime/report/export v0.0.0
	github.com/errgen/errgen/runtime/rpc v0.0.0
	github.com/jackc/pgx/v5 v5.12.0
	github.com/moogar0880/problems v1.0.1
	github.com/prometheus/client_golang v1.25.0
	github.com/stretchr/testify v1.12.1
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260526163538-3dc84a4a5aaa
	google.golang.org/grpc v1.83.2
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/BurntSushi/toml v1.6.0 // indirect
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/failsafe-go/failsafe-go v0.9.8 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/kylelemons/godebug v1.1.0 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/prometheus/client_model v0.6.3 // indirect
	github.com/prometheus/common v0.72.0 // indirect
	github.com/prometheus/procfs v0.22.0 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/net v0.59.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

// Only because this module lives in errgen's repository.
replace (
	github.com/errgen/errgen => ../..
	github.com/errgen/errgen/runtime/dberr/pgxerr => ../../runtime/dberr/pgxerr
	github.com/errgen/errgen/runtime/report/export => ../../runtime/report/export
	github.com/errgen/errgen/runtime/rpc => ../../runtime/rpc
)
