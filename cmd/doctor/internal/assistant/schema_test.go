package assistant

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var update = flag.Bool("update", false, "write tools.json")

// TestTheToolsHaveTheSchemasOfTheirTypes: a client asks for the tools in the words of the SDK, and
// gets the schemas that the SDK would have made of the Go types.
func TestTheToolsHaveTheSchemasOfTheirTypes(t *testing.T) {
	schemaOf := func(value any) *jsonschema.Schema {
		s, err := jsonschema.ForType(reflect.TypeOf(value), &jsonschema.ForOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var list mcp.ListToolsResult
	for _, tool := range tools {
		list.Tools = append(list.Tools, &mcp.Tool{Name: tool.name, Description: tool.description,
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true,
				OpenWorldHint: new(bool)},
			InputSchema: schemaOf(tool.in), OutputSchema: schemaOf(tool.out)})
	}
	content, err := json.Marshal(map[string]any{"tools": list.Tools})
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := json.Indent(&want, append(content, '\n'), "", "  "); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("tools.json", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(toolList(), want.Bytes()) {
		t.Error("tools.json is not what the Go types say: go test ./cmd/doctor/internal/assistant -update")
	}
}
