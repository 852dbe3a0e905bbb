package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// corpusMessage is a message of a corpus, with the expectation of the project that has it.
type corpusMessage struct {
	Origin string `json:"origin"` // the project
	Split  string `json:"split"`  // tune or held
	// Text is the message. With a Status, it is the body of a response if Body is empty.
	Text    string            `json:"text"`
	Status  int               `json:"status"`
	Body    string            `json:"body"`
	Headers map[string]string `json:"headers"`
	// Want are the right signatures. If it is empty, none should match.
	Want []string `json:"want"`
	// Fragment is a part of a message, such as one word, that the tests of a project contain.
	Fragment bool `json:"fragment"`
	// Retryable is nil if the project does not say it.
	Retryable *bool `json:"retryable"`
}

// evidence returns what a program has of the message.
func (m *corpusMessage) evidence() taxonomy.Evidence {
	if m.Body == "" && m.Headers == nil {
		return taxonomy.Evidence{Status: m.Status, Text: m.Text}
	}
	h := http.Header{"Content-Type": {"application/json"}}
	for k, v := range m.Headers {
		h.Set(k, v)
	}
	body := m.Body
	if body == "" {
		body = m.Text
	}
	return detect.Of(&http.Response{StatusCode: m.Status, Header: h, Body: io.NopCloser(strings.NewReader(body))})
}

// TestMeasureCorpora prints how the signatures classify the messages of the *.jsonl files below the
// directories of $ERRGEN_CORPORA, which are separated like those of $PATH: recall, wrong codes,
// classified negatives, and whether the built-in taxonomy retries what the projects retry.
// $ERRGEN_SPLIT limits them to one split.
func TestMeasureCorpora(t *testing.T) {
	dirs := filepath.SplitList(os.Getenv("ERRGEN_CORPORA"))
	if len(dirs) == 0 {
		t.Skip("$ERRGEN_CORPORA names no directories with messages")
	}
	text, err := builtinTaxonomy()
	require.NoError(t, err)
	judge := detection.NewJudge(loadSource("built-in taxonomy", text).model)
	counts := map[string]*corpusTally{}
	for _, m := range readCorpora(t, dirs) {
		ev := m.evidence()
		v := judge.Of(&ev)
		got, retries := "", false
		if v.Rule != nil {
			got, retries = strings.ToLower(v.Code.Name), v.Row.Traits.Retryable
		}
		kind := ""
		if m.Fragment {
			kind = " fragments"
		}
		var verdict string
		for _, key := range []string{m.Split + " " + m.Origin + kind, m.Split + " all" + kind} {
			if counts[key] == nil {
				counts[key] = new(corpusTally)
			}
			verdict = counts[key].add(&m, got, retries)
		}
		if verdict != "" {
			t.Logf("%s%s %s: %q, want %q: %d %.160q %.200q",
				m.Split, kind, verdict, got, m.Want, m.Status, m.Text, m.Body)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%-40s %s", k, counts[k])
	}
}

// corpusTally counts results. Negatives are messages that no signature should match.
type corpusTally struct{ right, wrong, missed, quiet, classified, agree, disagree int }

// add counts a message, and returns the fault of its result or an empty text.
func (c *corpusTally) add(m *corpusMessage, got string, retries bool) (verdict string) {
	switch {
	case len(m.Want) == 0 && got == "":
		c.quiet++
	case len(m.Want) == 0:
		c.classified++
		verdict = "classified"
	case slices.Contains(m.Want, got):
		c.right++
	case got == "":
		c.missed++
		verdict = "missed"
	default:
		c.wrong++
		verdict = "wrong"
	}
	switch {
	case m.Retryable == nil:
	case *m.Retryable == retries:
		c.agree++
	default:
		c.disagree++
		verdict += fmt.Sprintf(" retries=%t", retries)
	}
	return verdict
}

func (c *corpusTally) String() string {
	all := c.right + c.wrong + c.missed
	return fmt.Sprintf("messages %4d recall %.3f wrong %.3f   negatives %4d classified %d   retryable %d of %d", all,
		float64(c.right)/float64(max(all, 1)), float64(c.wrong)/float64(max(all, 1)), c.quiet+c.classified,
		c.classified, c.agree, c.agree+c.disagree)
}

func readCorpora(t *testing.T, dirs []string) (all []corpusMessage) {
	t.Helper()
	for _, dir := range dirs {
		require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".jsonl") {
				return err
			}
			f, err := os.Open(path)
			require.NoError(t, err)
			defer func() { _ = f.Close() }()
			in := bufio.NewScanner(f)
			in.Buffer(nil, 1<<20)
			for in.Scan() {
				var m corpusMessage
				require.NoError(t, json.Unmarshal(in.Bytes(), &m), path)
				if split := os.Getenv("ERRGEN_SPLIT"); split == "" || split == m.Split {
					all = append(all, m)
				}
			}
			return in.Err()
		}))
	}
	return all
}
