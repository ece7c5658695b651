package foreign

import (
	"strings"
	"testing"

	"doctor/checks/evidence"
)

func TestLookupsInPods(t *testing.T) {
	const lost = "DNS request timed out.\n    timeout was 2 seconds.\n"
	const server = "Server:  UnKnown\nAddress:  10.96.0.10\n\n"
	const exec = "PS C:\\> kubectl exec -it iis-6d9f7c9b7c-4x2kq -- nslookup kubernetes.default\n"
	for _, row := range []struct{ name, content, want string }{
		{"no answer", exec + lost + server + lost + lost + "*** Request to UnKnown timed-out\n",
			"default/iis-6d9f7c9b7c-4x2kq 10.96.0.10:53 kubernetes.default timeout"},
		{"an answer after a lost query", exec + lost + server + "Name:    kubernetes.default.svc.cluster.local\nAddress:  10.96.0.1\n",
			"default/iis-6d9f7c9b7c-4x2kq 10.96.0.10:53 kubernetes.default ok"},
		{"a name that does not exist", "$ kubectl -n shop exec iis -c web -- powershell nslookup nowhere\n" + server +
			"*** UnKnown can't find nowhere: Non-existent domain\n", ""},
		{"a namespace after exec", "$ kubectl exec -n shop iis -- nslookup nowhere\n" + server +
			"*** UnKnown can't find nowhere: No response from server\n", "shop/iis 10.96.0.10:53 nowhere timeout"},
		{"a namespace before exec", "$ kubectl -n shop exec iis -- nslookup nowhere\n" + server +
			"*** UnKnown can't find nowhere: No response from server\n", "shop/iis 10.96.0.10:53 nowhere timeout"},
		{"in the shell of a pod", "k exec -it iis -n shop -- powershell\nWindows PowerShell\nCopyright (C) Microsoft Corporation. All rights reserved.\n\n" +
			"PS C:\\> nslookup kubernetes.default\n" + lost + server + lost + "*** Request to UnKnown timed-out\nPS C:\\> exit\n",
			"shop/iis 10.96.0.10:53 kubernetes.default timeout"},
		{"after the shell of a pod", "$ kubectl exec -it iis -- cmd\nC:\\app>hostname\niis\nC:\\app>exit\n\nC:\\k>nslookup kubernetes.default\n" +
			server + "*** Request to UnKnown timed-out\n", ""},
		{"where the prompt does not say whether the shell of a pod is left", "PS C:\\> kubectl exec -it iis -- powershell\nPS C:\\> nslookup kubernetes.default\n" +
			server + "*** Request to UnKnown timed-out\n", ""},
		{"a server of its own", "$ kubectl exec iis -- nslookup example.org 192.0.2.1\n" + lost +
			"Server:  UnKnown\nAddress:  192.0.2.1\n\n*** Request to UnKnown timed-out\n", ""},
		{"on the node, or in a shell of which nobody knows where it runs",
			"PS C:\\> nslookup kubernetes.default\n" + server + "*** Request to UnKnown timed-out\n", ""},
		{"in a container of docker", "PS C:\\> docker exec web nslookup example.org\n" + server +
			"*** Request to UnKnown timed-out\n", ""},
		{"in a pod that a deployment names", "$ kubectl exec deploy/iis -- nslookup example.org\n" + server +
			"*** Request to UnKnown timed-out\n", ""},
		{"an answer that breaks off", exec + lost + server + lost, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, tree := looseTree(t, loose(map[string]string{"a.txt": row.content}))
			s, err := evidence.Load(tree)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range evidence.DNSProbes.In(s) {
				got = append(got, strings.Join([]string{p.From, p.Server, p.Name, p.Outcome}, " "))
			}
			if strings.Join(got, "; ") != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
