package main

import (
	"time"

	"example.org/versions/r3/errs"
)

// failures are what this release of the service answers, by what went wrong.
var failures = map[string]error{
	"timeout": errs.NewGatewayTimeout(),
	"down":    errs.NewGatewayDown().WithGateway("g1"),
	"busy":    errs.NewBusy().WithRetryAfter(2 * time.Second),
	"locked":  errs.NewBusy(),
	"refused": errs.NewCardRefused(),
	"expired": errs.NewCardOutdated(),
}

// handled are the codes that the client of this release handles, the most specific first.
var handled = []struct {
	name string
	code error
}{
	{"GATEWAY_TIMEOUT", errs.CodeGatewayTimeout},
	{"GATEWAY_DOWN", errs.CodeGatewayDown},
	{"PAYMENT_FAILED", errs.CodePaymentFailed},
	{"BUSY", errs.CodeBusy},
	{"CARD_REFUSED", errs.CodeCardRefused},
	{"CARD_EXPIRED", errs.CodeCardExpired},
	{"CARD_OUTDATED", errs.CodeCardOutdated},
}
