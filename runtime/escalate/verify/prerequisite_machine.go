package verify

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/internal/text"
)

// program looks a program up in PATH. One that is found in the current directory only is refused,
// as the system's library refuses to run it.
func program(name string) *missing {
	if why := noProgram(name); why != "" {
		return &missing{kind: typeNotFound, text: "the program " + named(name) + " " + why}
	}
	_, err := exec.LookPath(name)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrDot):
		return &missing{kind: typeDenied, text: "the program " + named(name) +
			" is in the current directory only, where nothing is run from", err: err}
	}
	return &missing{kind: typeNotFound, text: "the program " + named(name) + " is not in PATH", err: err}
}

// variable looks an environment variable up. Its value goes nowhere.
func variable(name string) *missing {
	name, _, _ = strings.Cut(name, "=")
	value, set := os.LookupEnv(name)
	switch {
	case !set:
		return &missing{kind: typeUnset, text: "environment variable " + named(name) + " is not set"}
	case value == "":
		return &missing{kind: typeUnset, text: "environment variable " + named(name) + " is empty"}
	}
	return nil
}

// address returns how an address is connected to.
func (v *Verifier) address(p plan.Prerequisite) (how string, look func(context.Context) *missing) {
	to, err := p.HostPort()
	if err != nil {
		return "not verified: it is no address", func(context.Context) *missing {
			return &missing{kind: typeNotFound, text: "the address cannot be used: " + err.Error()}
		}
	}
	return "connected by TCP to " + text.OneLine(to, maxSaid),
		func(ctx context.Context) *missing { return v.dial(ctx, to) }
}

// dial connects, and says nothing to whoever answers.
func (v *Verifier) dial(ctx context.Context, to string) *missing {
	dialer := net.Dialer{Timeout: v.o.DialLimit}
	conn, err := dialer.DialContext(ctx, "tcp", to)
	if err == nil {
		_ = conn.Close()
		return nil
	}
	if unknown, ok := errors.AsType[*net.DNSError](err); ok && unknown.IsNotFound {
		return &missing{kind: typeNotFound, text: "there is no host of the name in " + to, err: err}
	}
	ev := detect.Of(err)
	switch why := ev.Errno; {
	case ev.Type == typeTimeout:
		return &missing{text: to + " does not answer within " + v.o.DialLimit.String(), err: err}
	case why == "ECONNREFUSED":
		return &missing{text: to + " refuses the connection", err: err}
	case why != "":
		return &missing{text: to + " cannot be connected to: " + why, err: err}
	}
	return &missing{text: to + " cannot be connected to", err: err}
}
