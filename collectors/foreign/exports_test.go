package foreign

import (
	"strings"
	"testing"

	"doctor/checks/evidence"
)

// Exports in the forms that the platforms' documentation gives, with lines of public threads in them:
// kube-proxy in kubernetes/kubernetes#100384, promtail in grafana/loki#4297, fluent-bit in
// fluent/fluent-bit#12082, the kubelet in kubernetes-sigs/sig-windows-tools#76.
const (
	noReference = `E0318 19:55:57.547539    3808 proxier.go:1188] Policy creation failed: hcnCreateLoadBalancer failed in Win32: The reference is invalid in the JSON document. (0x803b001c)`
	kubeletDied = `The kubelet service terminated unexpectedly.  It has done this 3 time(s).`
)

func TestExportsOfPlatformsAreRead(t *testing.T) {
	const (
		proxy  = "logs/kube-proxy/a"
		events = "events.json"
		event  = `"provider":"ServiceControlManager","id":7034`
	)
	for _, row := range []struct{ name, content, evidence, want string }{
		{"aws logs filter-log-events", `{"events":[{"logStreamName":"ip-10-0-129-184","timestamp":1616097357547,"message":"` +
			noReference + `","ingestionTime":1616097358000}],"searchedLogStreams":[]}`, proxy, "(0x803b001c)"},
		{"aws logs get-query-results", `{"results":[[{"field":"@timestamp","value":"2021-03-18 19:55:57.547"},{"field":"@message","value":"` +
			noReference + `"}]],"status":"Complete"}`, proxy, "(0x803b001c)"},
		{"CloudWatch Logs Insights as CSV", "@timestamp,@message,@logStream\n2021-03-18 19:55:57.547,\"" + noReference + "\",ip-10-0-129-184\n",
			proxy, "(0x803b001c)"},
		{"an answer of Log Analytics", `{"tables":[{"name":"PrimaryResult","columns":[{"name":"TimeGenerated"},{"name":"LogMessage"}],"rows":[["2021-03-18T19:55:57Z","` +
			noReference + `"]]}]}`, proxy, "(0x803b001c)"},
		{"KubeEvents as CSV", "\"TimeGenerated [UTC]\",Computer,ObjectKind,Namespace,Name,Reason,Message,KubeEventType\n" +
			"\"5/3/2020, 1:39:33.522 PM\",akswin000000,Pod,kube-system,kube-proxy-windows-pz26m,FailedCreatePodSandBox,open /run/flannel/subnet.env: The system cannot find the path specified.,Warning\n",
			"api/events.json", `"name":"kube-proxy-windows-pz26m","namespace":"kube-system"},"message":"open/run/flannel/subnet.env`},
		{"the Event table of Log Analytics", `[{"Computer":"w1","EventID":"7034","EventLevelName":"Error","EventLog":"System","RenderedDescription":"` +
			kubeletDied + `","Source":"Service Control Manager","TimeGenerated":"2023-10-10T22:39:10.12Z"}]`, events, event + `,"level":"error","time":"2023-10-10T22:39:10Z"`},
		{"gcloud logging read", `[{"jsonPayload":{"Channel":"System","EventID":7034,"EventType":"Error","Message":"` + kubeletDied +
			`","SourceName":"Service Control Manager","TimeGenerated":"2021-03-18 19:55:57 +0000"},"logName":"projects/p/logs/winevt.raw","timestamp":"2021-03-18T19:55:57Z"}]`,
			events, `"log":"System",` + event},
		{"hits of Elasticsearch", `{"hits":{"total":{"value":1},"hits":[{"_id":"1","_source":{"@timestamp":"2023-10-10T22:39:10.123Z","message":"` + kubeletDied +
			`","winlog":{"channel":"System","event_id":"7034","provider_name":"Service Control Manager"}}}]}}`, events, event},
		{"Kibana as CSV", "\"@timestamp\",\"winlog.channel\",\"winlog.event_id\",\"winlog.provider_name\",message\n" +
			"\"Oct 10, 2023 @ 22:39:10.123\",System,7034,\"Service Control Manager\",\"" + kubeletDied + "\"\n", events, event},
		{"an answer of Loki", `{"data":{"result":[{"stream":{"pod":"kube-proxy"},"values":[["1616097357547000000","` + noReference + `"]]}]}}`, proxy, "(0x803b001c)"},
		{"logcli", `2021-09-09T15:39:06+02:00 {} {"source":"Service Control Manager","channel":"System","event_id":7034,"level":2,"timeCreated":"2021-09-09T13:22:48.5Z","message":"` +
			kubeletDied + "\"}\n", events, event + `,"level":"error","time":"2021-09-09T13:22:48Z"`},
		{"fluent-bit on its console", `[0] tag: [[1783681159.18, {}], {"ProviderName"=>"Service Control Manager", "EventID"=>7034, "Level"=>2, "TimeCreated"=>"2026-07-10 19:59:14 +0900", "Message"=>"` +
			kubeletDied + `", "StringInserts"=>["kubelet", "3"]}]` + "\n", events, event + `,"level":"error","time":"2026-07-10T10:59:14Z"`},
		{"lines of a container as JSON", `{"log":"` + noReference + `\n","stream":"stderr","time":"2021-03-18T19:55:57.5Z"}` + "\n", proxy, "(0x803b001c)"},
		{"Splunk's text", "10/10/2023 10:39:10 PM\nLogName=System\nEventCode=7034\nSourceName=Service Control Manager\nType=Error\nMessage=" + kubeletDied + "\n",
			events, event + `,"level":"error","time":"2023-10-10T22:39:10Z"`},
		{"the Event Viewer as CSV", "Level,Date and Time,Source,Event ID,Task Category\nError,10/10/2023 10:39:10 PM,Service Control Manager,7034,None," +
			kubeletDied + "\n", events, event},
		{"Get-WinEvent | Export-Csv", "#TYPE Selected.System.Diagnostics.Eventing.Reader.EventLogRecord\n\"TimeCreated\",\"Id\",\"ProviderName\",\"Message\"\n" +
			"\"10/10/2023 10:39:10 PM\",\"7034\",\"Service Control Manager\",\"" + kubeletDied + "\"\n", events, event},
		{"Get-WinEvent | ConvertTo-Json", `{"Id":7034,"ProviderName":"Service Control Manager","TimeCreated":"/Date(1698272309417)/","LevelDisplayName":"Error","Message":"` +
			kubeletDied + `"}`, events, event + `,"level":"error","time":"2023-10-25T22:18:29Z"`},
		{"Get-WinEvent | Export-Clixml", `<Objs Version="1.1.0.1"><Obj RefId="0"><Props><I32 N="Id">7034</I32><S N="ProviderName">Service Control Manager</S><DT N="TimeCreated">2023-10-10T22:39:10.1+00:00</DT></Props><MS><S N="Message">` +
			kubeletDied + "</S></MS></Obj></Objs>\n", events, event},
		{"Get-Service | ConvertTo-Json", `[{"Name":"kubelet","DisplayName":"kubelet","Status":1},{"Name":"hns","DisplayName":"Host Network Service","Status":4}]`,
			"services.json", "kubelet stopped, hns running"},
		{"NXLog", `{"EventTime":"2023-10-10T22:39:10.12Z","Hostname":"w1","SeverityValue":4,"EventID":7034,"SourceName":"Service Control Manager","Channel":"System","Message":"` +
			kubeletDied + `"}` + "\n", events, event + `,"time":"2023-10-10T22:39:10Z"`},
		{"OpenTelemetry", `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1616097357547000000","body":{"stringValue":"` + noReference + `"}}]}]}]}`, proxy, "(0x803b001c)"},
		{"AzureDiagnostics as CSV", "TimeGenerated [UTC],Category,log_s\n\"3/18/2021, 7:55:57.547 PM\",kube-proxy,\"" + noReference + "\"\n", proxy, "(0x803b001c)"},
		{"what a command on a node printed", `{"value":[{"code":"ComponentStatus/StdOut/succeeded","message":"\r\nSERVICE_NAME: kubelet \r\n        TYPE               : 10  WIN32_OWN_PROCESS  \r\n        STATE              : 1  STOPPED \r\n        WIN32_EXIT_CODE    : 1067  (0x42b)\r\n"}]}`,
			"services-part.json", `"state":"stopped","exitCode":1067`},
		{"an issue of GitHub", `{"title":"x","created_at":"2020-05-03T13:39:33Z","body":"The log:\r\n\r\n` + "```" + `\r\n` + noReference + `\r\n` + "```" + `\r\n"}`, proxy, "(0x803b001c)"},
		{"an export that breaks off", `{"events":[{"timestamp":1616097357547,"message":"` + noReference + `"},{"timestamp":16160`, proxy, "(0x803b001c)"},
		{"k9s", "NAMESPACE,NAME,PF,READY,STATUS,RESTARTS,CPU,%CPU/R,NODE,AGE\nkube-system,kube-flannel-ds-windows-x,●,0/1,CrashLoopBackOff,21,0,n/a,win-1,3d15h\n",
			"meta.json", `"node":"win-1"`},
	} {
		_, tree := looseTree(t, loose(map[string]string{"a": row.content}))
		if got := written(tree, row.evidence); !strings.Contains(strings.ReplaceAll(got, " ", ""), strings.ReplaceAll(row.want, " ", "")) {
			t.Errorf("%s: %s is\n%s\nwant in it\n%s", row.name, row.evidence, got, row.want)
		}
		if _, err := evidence.Load(tree); err != nil {
			t.Error(err)
		}
	}
}
