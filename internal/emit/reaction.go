package emit

import (
	"strconv"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// reaction makes the variable of a reaction.
func reaction(r *model.Reaction) jen.Code {
	var c composite
	c.text("Name", r.Name)
	if r.Policy != nil {
		c.address("Policy", r.Policy.Var)
	}
	if r.Then != nil {
		c.address("Then", r.Then.Var)
	}
	c.text("Strategy", r.Strategy)
	c.text("To", r.To)
	c.text("LogMessage", r.LogMessage)
	c.constant("Action", actionNames[r.Action])
	c.constant("Extent", extentNames[r.Extent])
	c.constant("Revert", revertNames[r.Revert])
	c.constant("Session", sessionNames[r.Session])
	c.constant("Purpose", purposeNames[r.Purpose])
	c.constant("Resume", resumeNames[r.Resume])
	c.constant("Shared", sharedNames[r.Shared])
	c.constant("LogLevel", logNames[r.LogLevel])
	c.flag("CountFailure", r.CountFailure)
	c.flag("HonorRetryAfter", r.HonorRetryAfter)
	c.flag("AcceptCompletion", r.AcceptCompletion)
	c.flag("FeedBack", r.FeedBack)
	return jen.Add(docOf(r.Var, r.Doc)).Var().Id(r.Var).Op("=").Add(runtimeType("Reaction")).Add(c.literal())
}

// policy makes the variable of a policy.
func policy(p *model.Policy) jen.Code {
	var c composite
	c.text("Name", p.Name)
	c.number("MaxAttempts", p.MaxAttempts)
	c.duration("InitialDelay", p.InitialDelay)
	c.duration("MaxDelay", p.MaxDelay)
	c.float("Multiplier", p.Multiplier)
	c.duration("MaxElapsed", p.MaxElapsed)
	c.duration("MaxRetryAfter", p.MaxRetryAfter)
	c.float("Jitter", p.Jitter)
	c.constant("Backoff", backoffNames[p.Backoff])
	c.constant("JitterKind", jitterNames[p.JitterKind])
	c.pointed("Adapt", "Adapt", adapt(p.Adapt))
	c.pointed("Budget", "Budget", budget(p.Budget))
	return jen.Add(docOf(p.Var, p.Doc)).Var().Id(p.Var).Op("=").Add(runtimeType("Policy")).Add(c.literal())
}

func (c *composite) duration(name string, d time.Duration) {
	if d != 0 {
		c.add(name, duration(d))
	}
}

func (c *composite) float(name string, x float64) {
	if x != 0 {
		c.add(name, jen.Op(strconv.FormatFloat(x, 'g', -1, 64)))
	}
}

// docOf is the comment of what needs none, when the taxonomy says something about it.
func docOf(name, doc string) jen.Code {
	if doc == "" {
		return jen.Null()
	}
	return comment(about(name, doc, ""))
}

func namedReactions(m *model.Package) []jen.Code {
	var out []jen.Code
	for _, r := range m.Reactions {
		if r.Declared && r.Profile == "" {
			out = append(out, jen.Op("&").Id(r.Var))
		}
	}
	return out
}

func namedPolicies(m *model.Package) []jen.Code {
	var out []jen.Code
	for _, p := range m.Policies {
		if p.Declared && p.Profile == "" {
			out = append(out, jen.Op("&").Id(p.Var))
		}
	}
	return out
}
