// Quickstart is a small shop that uses errors generated from taxonomy.yaml: it makes, wraps,
// matches, prints, logs and decodes them, and asks what to do about them.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"

	"shop.example.com/orders/errs"
)

//go:generate go tool errgen generate

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(w io.Writer) error {
	err := checkout("4711")
	p := printer{w: w}
	p.section("An error, as a person reads it")
	p.line("%v", err)

	p.section("What the program asks of it")
	askAbout(&p, err)

	p.section("What to do about it")
	if err := react(&p, err); err != nil {
		return err
	}

	p.section("In a log, where the card is masked")
	logError(w, err)

	p.section("Over the wire and back")
	return roundTrip(&p, err)
}

// checkout fails as a real one would: the gateway is overloaded, and says so.
func checkout(order string) error {
	if err := pay(order, 12_95); err != nil {
		return fmt.Errorf("checkout: %w", err)
	}
	return nil
}

func pay(order string, cents int64) error {
	return errs.NewPaymentGatewayFailed(order, cents).
		WithStatus(429).
		WithReply("too many requests\nyou sent: Authorization: Bearer 0a1b2c3d4e5f60718293a4b5c6d7e8f9").
		WithRetryAfter(30 * time.Second).
		WithCard("4242424242424242").
		WithCause(io.ErrUnexpectedEOF)
}

func askAbout(p *printer, err error) {
	p.line("errors.Is(err, CodePaymentGatewayFailed): %t", errors.Is(err, errs.CodePaymentGatewayFailed))
	p.line("errors.Is(err, io.ErrUnexpectedEOF):      %t", errors.Is(err, io.ErrUnexpectedEOF))
	if pe, ok := errors.AsType[*errs.PaymentError](err); ok {
		p.line("order %s, %d cents, status %d", pe.OrderID, pe.AmountCents, pe.Status.Or(0))
		p.line("the card prints as %v, and only code that asks for it gets it", pe.Card)
	}
	p.line("code %s, category %s, retryable %t, http %d", taxonomy.CodeOf(err), errs.CategoryOf(err),
		taxonomy.IsRetryable(err), taxonomy.HTTPStatus(err))
	p.line("can the customer put it right? %t", errs.InCustomer(err))
	p.line("advice: %s", advice(errs.CodePaymentGatewayFailed))
}

// advice has a case for each code: the exhaustive linter says when one is missing.
func advice(code errs.PaymentCode) string {
	switch code {
	case errs.CodePaymentDeclined:
		return "ask for another card"
	case errs.CodePaymentGatewayFailed:
		return "try the payment again"
	}
	return "ask the support team"
}

func react(p *printer, err error) error {
	night, lookupErr := errs.Table.Profile(errs.ProfileNight)
	if lookupErr != nil {
		return lookupErr
	}
	fraud := errs.NewPaymentDeclined("4712", 99_00, errs.PaymentReasonSuspectedFraud)
	for _, e := range []error{err, fraud, errs.NewOrderNotFound("4713")} {
		day, dark := errs.Table.Reaction(e), night.Reaction(e)
		p.line("%-22s by day: %-9s %2d attempts   by night: %-9s %2d attempts", taxonomy.CodeOf(e),
			day.Name, attempts(day), dark.Name, attempts(dark))
	}
	if wait, ok := taxonomy.HintsOf(err).RetryAfter.Get(); ok {
		p.line("the gateway asks to wait %s", wait)
	}
	return nil
}

func attempts(r taxonomy.Reaction) int {
	if r.Policy == nil {
		return 1
	}
	return r.Policy.MaxAttempts
}

func roundTrip(p *printer, err error) error {
	pe, ok := errors.AsType[*errs.PaymentError](err)
	if !ok {
		return errors.New("this is no payment error")
	}
	wire, marshalErr := json.MarshalIndent(pe, "", "  ")
	if marshalErr != nil {
		return fmt.Errorf("encode the error: %w", marshalErr)
	}
	p.line("%s", wire)
	back, decodeErr := errs.UnmarshalError(wire)
	if decodeErr != nil {
		return fmt.Errorf("decode the error: %w", decodeErr)
	}
	p.line("back again as %T: %v", back, back)
	p.line("the same code: %t, the same reaction: %s", errors.Is(back, errs.CodePaymentGatewayFailed),
		errs.Table.Reaction(back).Name)
	return nil
}

// logError logs the typed error inside of err: of a text that is wrapped around it slog would only
// see the text.
func logError(w io.Writer, err error) {
	logger := slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	if e, ok := errors.AsType[taxonomy.Error](err); ok {
		logger.Error("checkout failed", "err", e)
	}
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// printer writes lines under headings.
type printer struct {
	w       io.Writer
	started bool
}

func (p *printer) section(title string) {
	if p.started {
		p.line("")
	}
	p.started = true
	p.line("== %s", title)
}

func (p *printer) line(format string, args ...any) {
	_, _ = fmt.Fprintf(p.w, format+"\n", args...)
}
