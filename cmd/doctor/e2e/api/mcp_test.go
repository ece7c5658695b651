package api_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"doctor/checks"
	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
)

// TestAnAssistantReadsANodeThroughTheAPI: the program is started as a client starts it, and reads the
// evidence of the node that it diagnosed.
func TestAnAssistantReadsANodeThroughTheAPI(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	bed.Kubelet(t, apibed.KubeletAddress, kubeletLog)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(),
		&mcp.CommandTransport{Command: exec.Command(program.Build(t),
			"mcp", "--kubeconfig", bed.Kubeconfigs["admin"], enough)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call := func(tool string, args map[string]any) string {
		t.Helper()
		r, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool,
			Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		text := r.Content[0].(*mcp.TextContent).Text
		if r.IsError {
			return "error: " + text
		}
		return text
	}
	var d struct{ Report checks.Report }
	node := map[string]any{"node": apibed.WindowsNode}
	if err := json.Unmarshal([]byte(call("diagnose", node)), &d); err != nil ||
		result(t, d.Report, "kubelet-removed-flag").Status != checks.StatusFail {
		t.Errorf("the diagnosis: %v, %+v", err, d.Report.Causes)
	}
	if list := call("list_evidence", node); !strings.Contains(list, "api/node.json") {
		t.Errorf("the evidence: %s", list)
	}
	if found := call("search_logs", map[string]any{"node": apibed.WindowsNode,
		"text": "unknown flag"}); !strings.Contains(
		found, "--network-plugin") {
		t.Errorf("the search: %s", found)
	}
	if wrong := call("diagnose", map[string]any{"node": "nowhere"}); !strings.HasPrefix(wrong,
		"error: ") ||
		!strings.Contains(wrong, apibed.WindowsNode) {
		t.Errorf("of a node that does not exist: %s", wrong)
	}
}
