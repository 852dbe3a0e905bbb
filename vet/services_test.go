package vet_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/ast/astutil"

	"github.com/errgen/errgen/vet/internal/command"
)

// publicService is a service that others wrote, and what moves some of its errors to errgen.
type publicService struct {
	module, version string
	dirs            []string // that are checked
	codes           string   // of the taxonomy
	edits           []replacement
	findings        []string // all are true
}

// replacement changes the files of a folder.
type replacement struct{ dir, expr, with string }

var publicServices = []publicService{
	{ // tusd receives uploads that can be resumed
		module: "github.com/tus/tusd/v2", version: "v2.9.1",
		dirs: []string{"internal/uid", "pkg/handler", "pkg/filestore", "pkg/filelocker", "pkg/memorylocker"},
		codes: "UnsupportedVersion MaxSizeExceeded InvalidContentType InvalidUploadLength InvalidOffset NotFound " +
			"LockTimeout MismatchOffset SizeExceeded NotImplemented UploadNotFinished InvalidConcat " +
			"ConcatenationUnsupported ModifyFinal UploadLengthAndUploadDeferLength InvalidUploadDeferLength " +
			"UploadStoppedByServer UploadInterrupted ServerShutdown OriginNotAllowed UnexpectedEOF ReadTimeout " +
			"ConnectionReset",
		edits: []replacement{
			{"pkg/handler", `errors\.Is\((\w+), Err(\w+)\)`, `errors.Is($1, errs.Code$2)`},
			{"pkg/handler", `(return.* |err = |sendError\(c, |cancel\()Err([A-Z]\w+)`, `${1}errs.New$2()`},
			{"pkg/filestore", `handler\.Err([A-Z]\w+)`, `errs.New$1()`},
			{"pkg/filelocker", `handler\.Err([A-Z]\w+)`, `errs.New$1()`},
			{"pkg/memorylocker", `handler\.Err([A-Z]\w+)`, `errs.New$1()`},
		},
	},
	{ // Inbucket receives mail for tests
		module: "github.com/inbucket/inbucket/v3", version: "v3.1.1",
		dirs:  []string{"cmd", "pkg"},
		codes: "MessageNotFound AddressInvalid PathMissing AttachmentNotFound",
		edits: []replacement{
			{"pkg/policy", `errors\.New\(`, `errs.NewAddressInvalid().WithText(`},
			{"pkg/storage/file", `errors\.New\("'path' parameter not specified"\)`, `errs.NewPathMissing()`},
			{"pkg/webui", `errors\.New\(.*\)`, `errs.NewAttachmentNotFound()`},
			{"pkg", `err == storage\.ErrNotExist`, `errors.Is(err, errs.CodeMessageNotFound)`},
			{"pkg", `err != storage\.ErrNotExist`, `!errors.Is(err, errs.CodeMessageNotFound)`},
			{"pkg", `storage\.ErrNotExist`, `errs.NewMessageNotFound()`},
			{"pkg", `%v", (\w+), err\)`, `%w", $1, err)`},
		},
		// Neither of its stores reports that the message, which is marked as seen, does not exist.
		findings: []string{"pkg/rest/apiv1_controller.go: dead: MESSAGE_NOT_FOUND never arrives here"},
	},
}

// There is no false finding in services that others wrote, whose errors have codes in part. Nor is
// there any with the contracts that `errgenvet fix` writes.
func TestPublicServices(t *testing.T) {
	if testing.Short() {
		t.Skip("downloads services")
	}
	for _, s := range publicServices {
		t.Run(s.module, func(t *testing.T) {
			dir := s.write(t)
			run := func(args ...string) string {
				var out, problems bytes.Buffer
				command.Run(t.Context(), args, command.Env{Dir: dir, Stdout: &out, Stderr: &problems})
				assert.NotContains(t, problems.String(), "load packages")
				return out.String()
			}
			findings := func() (list []string) {
				for line := range strings.Lines(run("-format", "json")) {
					var f struct{ File, ID, Message string }
					require.NoError(t, json.Unmarshal([]byte(line), &f))
					message, _, _ := strings.Cut(f.Message, ";")
					list = append(list, f.File+": "+f.ID+": "+message)
				}
				return list
			}
			assert.Equal(t, s.findings, findings())
			fix := []string{"fix"}
			codes := run("codes", "-all")
			for line := range strings.Lines(codes) {
				if line[0] != ' ' {
					fix = append(fix, strings.Fields(line)[0])
				}
			}
			fixed := run(fix...)
			t.Logf("%s%s", codes, fixed)
			assert.Greater(t, strings.Count(fixed, "\n"), 20)
			assert.Equal(t, s.findings, findings(), "with contracts")
		})
	}
}

// write writes a copy of the service and returns its directory.
func (s publicService) write(t *testing.T) string {
	t.Helper()
	scratch := t.TempDir()
	goCommand := func(dir string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, &stderr)
		}
		return out, err
	}
	var module struct{ Dir string }
	out, err := goCommand(scratch, "mod", "download", "-json", s.module+"@"+s.version)
	if err != nil {
		t.Skip("the module cannot be downloaded: ", err)
	}
	require.NoError(t, json.Unmarshal(out, &module))
	dir := filepath.Join(scratch, "service")
	for _, d := range s.dirs {
		require.NoError(t, os.CopyFS(filepath.Join(dir, d), os.DirFS(filepath.Join(module.Dir, d))))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join(module.Dir, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(name, 0o700)
		}
		return err
	}))

	root, err := filepath.Abs("..")
	require.NoError(t, err)
	taxonomy := "errgen: 1\npackage: errs\ndoc: Errors of the service.\ndomain: service.example.com\ncategories:\n" +
		"  service:\n    doc: Errors.\n    fields: {text: {type: string, doc: What is wrong.}}\n    codes:\n"
	for _, name := range strings.Fields(s.codes) {
		value := strings.ToUpper(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(name, "${1}_$2"))
		taxonomy += "      " + value + ": {doc: An error., message: " + name + "}\n"
	}
	file := filepath.Join(scratch, "taxonomy.yaml")
	require.NoError(t, os.WriteFile(file, []byte(taxonomy), 0o600))
	_, err = goCommand(root, "run", "./cmd/errgen", "generate", "-o", filepath.Join(dir, "errs"), file)
	require.NoError(t, err)

	for _, e := range s.edits {
		edited := filepath.Join(dir, e.dir)
		require.NoError(t, filepath.WalkDir(edited, func(name string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
				s.edit(t, name, e)
			}
			return err
		}))
	}
	_, err = goCommand(dir, "mod", "edit", "-require=github.com/errgen/errgen@v0.0.0",
		"-replace=github.com/errgen/errgen="+root)
	require.NoError(t, err)
	_, err = goCommand(dir, "list", "-mod=mod", "-deps", "./...")
	if err != nil && strings.Contains(err.Error(), "reading http") {
		t.Skip("the modules of the service cannot be downloaded: ", err)
	}
	require.NoError(t, err)
	return dir
}

// edit changes a file and its imports.
func (s publicService) edit(t *testing.T, name string, e replacement) {
	t.Helper()
	src, err := os.ReadFile(name)
	require.NoError(t, err)
	changed := regexp.MustCompile(e.expr).ReplaceAll(src, []byte(e.with))
	if bytes.Equal(src, changed) {
		return
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, changed, parser.ParseComments)
	require.NoError(t, err)
	used := make(map[string]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	for _, path := range []string{"errors", s.module + "/errs", s.module + "/pkg/storage", s.module + "/pkg/handler"} {
		if used[filepath.Base(path)] && !strings.HasSuffix(filepath.Dir(name), strings.TrimPrefix(path, s.module)) {
			astutil.AddImport(fset, f, path)
		} else {
			astutil.DeleteImport(fset, f, path)
		}
	}
	var out bytes.Buffer
	require.NoError(t, format.Node(&out, fset, f))
	require.NoError(t, os.WriteFile(name, out.Bytes(), 0o600))
}
