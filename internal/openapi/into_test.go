package openapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/openapi"
)

// rooms is a taxonomy with these operations.
func rooms(t *testing.T, operations string) *model.Package {
	t.Helper()
	m, findings := check.Load("taxonomy.yaml", []byte(`errgen: 1
package: errs
public: {code: INTERNAL}
operations: {`+operations+`}
categories:
  room: {audience: public, http: 409, codes: {TAKEN: {message: taken, doc: It is taken.}, CLOSED: {message: closed}}}
  request: {audience: public, codes: {MISSING: {message: 'no {id}', http: 404, args: [id]}},
	fields: {id: {type: string}}}
  server: {codes: {INTERNAL: {audience: public, message: internal error, http: 500}}}
`))
	require.NotNil(t, m, "%v", findings)
	return m.PublicOnly()
}

const (
	book = "Book: {http: POST /bookings, errors: [room]}"
	get  = "Get: {http: 'GET /bookings/{id}', errors: [MISSING]}"
)

// doc is a document whose components are left out; want is the same with the references.
type intoTest struct {
	name       string
	operations string
	doc, want  string
	remarks    int
}

func TestInto(t *testing.T) {
	for _, tt := range []intoTest{
		{name: "after the responses that are there", operations: book, doc: `openapi: 3.1.0
paths:
  /bookings:
    post:
      responses:
        '201': {description: booked}   # a comment

  /rooms: {get: {responses: {}}}
`, want: `openapi: 3.1.0
paths:
  /bookings:
    post:
      responses:
        '201': {description: booked}   # a comment
        '409': {$ref: '#/components/responses/Book409'}
        '500': {$ref: '#/components/responses/Internal500'}

  /rooms: {get: {responses: {}}}
`},
		{name: "no responses yet, another indentation", operations: get, doc: `openapi: 3.0.3
paths:
    /bookings/{number}:
        get:
            parameters:
            - name: number
              in: path
`, want: `openapi: 3.0.3
paths:
    /bookings/{number}:
        get:
            parameters:
            - name: number
              in: path
            responses:
                '404': {$ref: '#/components/responses/Missing404'}
                '500': {$ref: '#/components/responses/Internal500'}
`},
		{name: "empty responses, and by its operationId", operations: "Get: {errors: [MISSING]}", doc: `openapi: 3.1.0
paths:
  /x:
    get:
      responses:
      operationId: Get
`, want: `openapi: 3.1.0
paths:
  /x:
    get:
      responses:
        '404': {$ref: '#/components/responses/Missing404'}
        '500': {$ref: '#/components/responses/Internal500'}
      operationId: Get
`},
		{name: "a response of a person", operations: get, remarks: 1, doc: `openapi: 3.1.0
paths:
  /bookings/{id}:
    get:
      responses:
        '404':
          description: |
            missing
            # no comment
        default: {$ref: '#/components/responses/Other'}
`, want: `openapi: 3.1.0
paths:
  /bookings/{id}:
    get:
      responses:
        '404':
          description: |
            missing
            # no comment
        default: {$ref: '#/components/responses/Other'}
        '500': {$ref: '#/components/responses/Internal500'}
`},
		{name: "an operation for RPC", operations: "Call: {rpc: a.B/Call}", doc: "openapi: 3.1.0\npaths: {}\n",
			want: "openapi: 3.1.0\npaths: {}\n"},
		{name: "lines that end with CR LF", operations: get,
			doc: "openapi: 3.1.0\r\npaths:\r\n  /bookings/{id}:\r\n    get:\r\n      responses:\r\n" +
				"        '200': {description: ok}\r\n",
			want: "openapi: 3.1.0\r\npaths:\r\n  /bookings/{id}:\r\n    get:\r\n      responses:\r\n" +
				"        '200': {description: ok}\r\n" +
				"        '404': {$ref: '#/components/responses/Missing404'}\r\n" +
				"        '500': {$ref: '#/components/responses/Internal500'}\r\n"},
		{name: "without a line feed at the end", operations: get,
			doc: "openapi: 3.1.0\npaths:\n  /bookings/{id}:\n    get:\n      responses:\n" +
				"        '200': {description: ok}",
			want: "openapi: 3.1.0\npaths:\n  /bookings/{id}:\n    get:\n      responses:\n" +
				"        '200': {description: ok}\n" +
				"        '404': {$ref: '#/components/responses/Missing404'}\n" +
				"        '500': {$ref: '#/components/responses/Internal500'}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := rooms(t, tt.operations)
			once, remarks, err := openapi.Into("api.yaml", []byte(tt.doc), m)
			require.NoError(t, err)
			before, components, _ := strings.Cut(string(once), "components:")
			assert.Equal(t, tt.want, before)
			assert.Len(t, remarks, tt.remarks)
			assert.Equal(t, strings.Contains(tt.doc, "\r\n"), strings.Contains(components, "\r\n"))

			again, _, err := openapi.Into("api.yaml", once, m)
			require.NoError(t, err)
			assert.Equal(t, string(once), string(again), "a second call changes nothing")
		})
	}
}

// What an earlier call wrote follows the taxonomy, and goes with the last operation.
func TestIntoReplaces(t *testing.T) {
	src := `openapi: 3.1.0
paths:
  /bookings:
    post:
      responses:
        '201': {description: booked}
components:
  schemas:
    TakenProblem: {type: string} # a person's
    # the end
  responses:
    Other: {description: other}
tags: []
`
	wide, _, err := openapi.Into("api.yaml", []byte(src), rooms(t, book))
	require.NoError(t, err)
	assert.Contains(t, string(wide), "\n    TakenProblem_:\n")
	narrow, _, err := openapi.Into("api.yaml", wide, rooms(t, "Book: {http: POST /bookings, errors: [CLOSED]}"))
	require.NoError(t, err)
	assert.NotContains(t, string(narrow), "TakenProblem_")
	assert.Contains(t, string(narrow), "'409': {$ref: '#/components/responses/Closed409'}")
	fresh, _, err := openapi.Into("api.yaml", []byte(src), rooms(t, "Book: {http: POST /bookings, errors: [CLOSED]}"))
	require.NoError(t, err)
	assert.Equal(t, string(fresh), string(narrow))
	none, _, err := openapi.Into("api.yaml", wide, rooms(t, "Call: {rpc: a.B/Call}"))
	require.NoError(t, err)
	assert.Equal(t, src, string(none), "the document of before")
	for line := range strings.SplitSeq(strings.TrimSuffix(src, "\n"), "\n") {
		assert.Contains(t, string(narrow), line+"\n")
	}
}

func TestIntoRefuses(t *testing.T) {
	for _, tt := range []struct{ name, operations, doc, place string }{
		{"an operation that the document lacks", get, "openapi: 3.1.0\npaths: {}\n", "api.yaml: "},
		{"operations in flow style", get, "openapi: 3.1.0\npaths:\n  /bookings/{id}: {get: {operationId: Get}}\n",
			"api.yaml:3:"},
		{"responses in flow style", get,
			"openapi: 3.1.0\npaths:\n  /bookings/{id}:\n    get:\n      responses: {'200': {description: ok}}\n",
			"api.yaml:5:"},
		{"an anchor", get,
			"openapi: 3.1.0\npaths:\n  /bookings/{id}:\n    get:\n      responses: &ok\n" +
				"        '200': {description: ok}\n", "api.yaml:5:"},
		{"an alias", get,
			"openapi: 3.1.0\nx: &r\n  '200': {description: ok}\npaths:\n  /bookings/{id}:\n    get:\n" +
				"      responses: *r\n",
			"api.yaml:7:"},
		{"a path item elsewhere", get, "openapi: 3.1.0\npaths:\n  /bookings/{id}: {$ref: items.yaml}\n", "api.yaml:3:"},
		{"JSON", get, `{"openapi": "3.1.0", "paths": {"/bookings/{id}": {"get": {"responses": {}}}}}`, "api.yaml:1:"},
		{"another version", get, "swagger: '2.0'\npaths: {}\n", "api.yaml: "},
		{"two documents", get, "openapi: 3.1.0\n---\nopenapi: 3.1.0\n", "api.yaml:"},
		{"not YAML", get, "a: [", "api.yaml: "},
		{"empty", get, "", "api.yaml: "},
		{"a list", get, "- a\n", "api.yaml: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, _, err := openapi.Into("api.yaml", []byte(tt.doc), rooms(t, tt.operations))
			require.Error(t, err)
			assert.Nil(t, out)
			assert.True(t, strings.HasPrefix(err.Error(), tt.place), err.Error())
		})
	}
}

// Whatever the document is, Into changes its own parts only, and a second call changes nothing.
func FuzzInto(f *testing.F) {
	for _, doc := range []string{
		"openapi: 3.1.0\npaths:\n  /bookings/{id}:\n    get:\n      responses:\n        '200': {description: ok}\n",
		"openapi: 3.0.0\r\npaths:\r\n  /bookings/{id}:\r\n    get:\r\n      summary: x\r\ncomponents:\r\n" +
			"  schemas:\r\n    A: {}\r\n",
		"openapi: 3.1.0\npaths:\n  /bookings/{id}:\n    get:\n      description: |\n        a\n\n       # b\n...\n",
		"openapi: 3.1.0\npaths:\n  ? /bookings/{id}\n  : get:\n      responses:\n        \"20\\\n          0\": {}\n",
	} {
		f.Add(doc)
	}
	m, findings := check.Load("taxonomy.yaml", []byte("errgen: 1\npackage: errs\noperations: {"+get+"}\n"+
		"categories: {request: {audience: public, codes: {MISSING: {message: missing, http: 404}}}}\n"))
	require.NotNil(f, m, fmt.Sprint(findings))
	f.Fuzz(func(t *testing.T, doc string) {
		once, _, err := openapi.Into("api.yaml", []byte(doc), m.PublicOnly())
		if err != nil {
			return
		}
		again, _, err := openapi.Into("api.yaml", once, m.PublicOnly())
		require.NoError(t, err)
		assert.Equal(t, string(once), string(again))
	})
}
