// Package handler runs one operation and does about its failures what a taxonomy says: it detects
// what failed, adds the facts that are known around it, reports it, recovers, and tries again,
// within the limits of the profile.
//
//	table, err := errs.Table.Profile("strict")
//	...
//	h, err := handler.New(handler.Config{
//		Table:     table,
//		Classify:  detect.Classifier(errs.Explain, detect.WithTable(table)),
//		Recoverer: recoverer,
//		Sink:      report.Sinks{reporter, groups},
//	})
//	...
//	out := h.Handle(ctx, handler.Op{Name: "list issues", Source: "github", Do: list})
//	if !out.Success() {
//		fmt.Println(out.Err)
//	}
//
// A [Handler] is an executor whose provider is the operation, without a working tree and without a
// journal: what a reaction means, how policies follow each other, and what a profile allows is
// decided there and nowhere else. So reactions that feed back, revert or hold a conversation do
// only what is left of them here, which is to try again.
package handler
