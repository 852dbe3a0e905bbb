package plans_test
import "testing"
func TestFirst(t *testing.T) {
	k := newKit(t)
	res := k.run(onePlan())
	t.Log(path(res.Steps[0]), res.Question, res.Warnings)
	if res.Question != nil { t.Log(res.Question.Asks) }
	k = newKit(t)
	k.haiku.do = says("cat: a: No such file or directory"+failed)
	p := onePlan(); p.Review = true
	k.sonnet.reviewed(); k.opus.reviewed()
	res = k.run(p)
	t.Log(path(res.Steps[0]), res.Steps[0].Commits)
	if res.Question != nil { t.Log(res.Question.Asks) }
	t.Log(k.sonnet.calls[0])
}
