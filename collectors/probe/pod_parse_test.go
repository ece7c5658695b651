package probe

import (
	"fmt"
	"strings"
	"testing"

	"doctor/checks/evidence"
)

// said is a reach row as a test compares it.
func said(p evidence.ReachProbe) string {
	s := fmt.Sprintf("%s %s %s %.3f", p.Protocol, p.Target, p.Outcome, p.LatencyMS)
	for _, more := range []struct{ name, value string }{{"address", p.Address},
		{"answer", p.Answer}, {"error", p.Why}} {
		if more.value != "" {
			s += " " + more.name + "=" + more.value
		}
	}
	return s
}

func saidAll(rows []evidence.ReachProbe) string {
	var lines []string
	for _, p := range rows {
		lines = append(lines, said(p))
	}
	return strings.Join(lines, "\n")
}

func target(t testing.TB, s string) podTarget {
	t.Helper()
	p, err := parsePodTarget(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWhatCurlSays(t *testing.T) {
	const api = "10.96.0.1:443"
	for _, c := range []struct {
		name, target, stdout, stderr string
		code                         int
		want                         string
	}{
		{"a server answers over TLS", api, "|403|10.96.0.1|0.000051|0.004051|0.020051|0.030051|",
			"*   Trying 10.96.0.1:443...\n* Connected to 10.96.0.1 (10.96.0.1) port 443\n* schannel: disabled automatic use of client certificate\n> HEAD / HTTP/1.1\n< HTTP/1.1 403 Forbidden\r\n< Content-Length: 233\r\n", 0,
			"tcp 10.96.0.1:443 ok 4.000\ntls 10.96.0.1:443 ok 16.000\nhttp 10.96.0.1:443 ok 10.000 answer=HTTP/1.1 403 Forbidden"},
		{"the curl of Server 2019 measures a near server at no time", "10.96.0.1:80",
			"|200|10.96.0.1|0.000000|0.000000|0.000000|0.000000|",
			"* Rebuilt URL to: http://10.96.0.1/\n*   Trying 10.96.0.1...\n* TCP_NODELAY set\n* Connected to 10.96.0.1 (10.96.0.1) port 80 (#0)\n< HTTP/1.1 200 OK\n", 0,
			"tcp 10.96.0.1:80 ok 0.000\nhttp 10.96.0.1:80 ok 0.000 answer=HTTP/1.1 200 OK"},
		{"a name shows its address", "https://example.com/",
			"|200|93.184.216.34|0.010000|0.030000|0.060000|0.090000|", "< HTTP/2 200 \n", 0,
			"tcp example.com:443 ok 20.000 address=93.184.216.34\ntls example.com:443 ok 30.000 address=93.184.216.34\nhttp example.com:443 ok 30.000 address=93.184.216.34 answer=HTTP/2 200"},
		{"seconds with a comma", "10.96.0.1:80",
			"|200|10.96.0.1|0,000000|0,002000|0,000000|0,005000|", "", 0,
			"tcp 10.96.0.1:80 ok 2.000\nhttp 10.96.0.1:80 ok 3.000 answer=HTTP 200"},
		{"refused, as Windows' curl says it", api, "|000||0.000100|0.000000|0.000000|2.031000|",
			"*   Trying 10.96.0.1:443...\r\n* connect to 10.96.0.1 port 443 failed: Connection refused\r\n* Failed to connect to 10.96.0.1 port 443 after 2031 ms: Couldn't connect to server\r\ncurl: (7) Failed to connect to 10.96.0.1 port 443 after 2031 ms: Couldn't connect to server\r\n", 7,
			"tcp 10.96.0.1:443 refused 0.000"},
		{"unreachable", api, "|000||0.0|0.0|0.0|0.001|",
			"* connect to 10.96.0.1 port 443 failed: Network unreachable\ncurl: (7) Failed to connect", 7, "tcp 10.96.0.1:443 unreachable 0.000"},
		{"forbidden by Windows", api, "|000||0.0|0.0|0.0|0.001|",
			"* connect to 10.96.0.1 port 443 failed: Bad access\ncurl: (7) Failed", 7,
			"tcp 10.96.0.1:443 denied 0.000 error=Windows forbids the connection (WSAEACCES)"},
		{"exit code 7 without a reason is no refusal", api, "|000||0.0|0.0|0.0|0.001|",
			"curl: (7) Failed to connect to 10.96.0.1 port 443 after 1 ms: Couldn't connect to server\n", 7,
			"tcp 10.96.0.1:443 error 0.000 error=curl.exe ended with 7: Failed to connect to 10.96.0.1 port 443 after 1 ms: Couldn't connect to server"},
		{"silence", api, "|000||0.000100|0.000000|0.000000|4.001000|",
			"*   Trying 10.96.0.1:443...\n* Connection timed out after 4001 milliseconds\ncurl: (28) Connection timed out after 4001 milliseconds", 28,
			"tcp 10.96.0.1:443 timeout 0.000"},
		{"TCP connects and TLS gets no answer", api, "|000|10.96.0.1|0.0|0.004|0.000000|4.001|",
			"* Connected to 10.96.0.1 (10.96.0.1) port 443\n* Operation timed out", 28,
			"tcp 10.96.0.1:443 ok 4.000\ntls 10.96.0.1:443 timeout 0.000"},
		{"a connection that took all the time says nothing of TLS", api,
			"|000|10.96.0.1|0.0|3.904|0.000000|4.001|",
			"* Connected to 10.96.0.1 (10.96.0.1) port 443\n", 28,
			"tcp 10.96.0.1:443 ok 3904.000\ntls 10.96.0.1:443 error 0.000 error=no time was left for it"},
		{"TLS works and HTTP gets no answer", api, "|000|10.96.0.1|0.0|0.004|0.020|4.001|", "", 28,
			"tcp 10.96.0.1:443 ok 4.000\ntls 10.96.0.1:443 ok 16.000\nhttp 10.96.0.1:443 timeout 0.000"},
		{"reset in the handshake, after another address timed out", api,
			"|000|10.96.0.1|0.0|0.004|0.000|0.010|",
			"* connect to 10.96.0.9 port 443 failed: Timed out\n* Connected to 10.96.0.1 (10.96.0.1) port 443\n* schannel: recv returned CURLE_RECV_ERROR\n* Recv failure: Connection was reset\ncurl: (35) Recv failure: Connection was reset", 35,
			"tcp 10.96.0.1:443 ok 4.000\ntls 10.96.0.1:443 reset 0.000"},
		{"a port that speaks no TLS", "https://10.0.0.9:5432", "|000|10.0.0.9|0.0|0.0|0.0|0.010|",
			"* Established connection to 10.0.0.9 (10.0.0.9 port 5432) from 10.244.3.7 port 49801 \ncurl: (35) schannel: next InitializeSecurityContext failed: SEC_E_INVALID_TOKEN (0x80090308) - Das Token ist ung\x81ltig\r\n", 35,
			"tcp 10.0.0.9:5432 ok 0.000\ntls 10.0.0.9:5432 error 0.000 error=curl.exe ended with 35: schannel: next InitializeSecurityContext failed: SEC_E_INVALID_TOKEN (0x80090308) - Das Token ist ung?ltig"},
		{"reset after the request", "10.96.0.1:80", "|000|10.96.0.1|0.0|0.004|0.0|0.010|",
			"curl: (56) Recv failure: Connection was reset", 56,
			"tcp 10.96.0.1:80 ok 4.000\nhttp 10.96.0.1:80 reset 0.000"},
		{"closed without an answer", "10.96.0.1:80", "|000|10.96.0.1|0.0|0.004|0.0|0.010|",
			"curl: (52) Empty reply from server", 52,
			"tcp 10.96.0.1:80 ok 4.000\nhttp 10.96.0.1:80 error 0.000 error=the other side closed the connection without an answer"},
		{"a name that does not resolve", "https://nosuch.example", "|000||0.0|0.0|0.0|0.010|",
			"* Could not resolve host: nosuch.example\ncurl: (6) Could not resolve host: nosuch.example", 6,
			"tcp nosuch.example:443 error 0.000 error=the name does not resolve"},
		{"a name that does not resolve in time", "https://nosuch.example",
			"|000||0.0|0.0|0.0|4.001|", "* Resolving timed out after 4001 milliseconds", 28,
			"tcp nosuch.example:443 error 0.000 error=the name did not resolve in time"},
		{"a port on which nothing is said is connected to", "10.96.0.10:53",
			"|000|10.96.0.10|0.0|0.003|0.0|3.001|",
			"* Connected to 10.96.0.10 (10.96.0.10) port 53\n", 28, "tcp 10.96.0.10:53 ok 3.000"},
		{"a server that speaks first", "10.0.0.9:22", "|000|10.0.0.9|0.0|0.003|0.0|0.005|",
			"* Connected to 10.0.0.9 (10.0.0.9) port 22\n< SSH-2.0-OpenSSH_9.2\ncurl: (8) Weird server reply", 8, "tcp 10.0.0.9:22 ok 3.000"},
		{"a server's header is not curl's word", "10.96.0.1:80",
			"|000|10.96.0.1|0.0|0.004|0.0|0.010|", "< X: connection refused\ncurl: (56) something",
			56,
			"tcp 10.96.0.1:80 ok 4.000\nhttp 10.96.0.1:80 error 0.000 error=curl.exe ended with 56: something"},
		{"nothing at all", api, "", "", 2,
			"tcp 10.96.0.1:443 error 0.000 error=curl.exe ended with 2"},
		{"an IPv6 target", "[fd00::1]:443", "|000||0.0|0.0|0.0|4.0|", "*   Trying [fd00::1]:443...",
			28, "tcp [fd00::1]:443 timeout 0.000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := saidAll(target(t, c.target).readCurl("shop/web-1", c.stdout, c.stderr,
				c.code)); got != c.want {
				t.Errorf("read as\n%s\nnot\n%s", got, c.want)
			}
		})
	}
}

func TestWhatPingSays(t *testing.T) {
	stats := "\r\nPing statistics for 8.8.8.8:\r\n    Packets: Sent = 2, Received = 2, Lost = 0 (0% loss),\r\n"
	for _, c := range []struct {
		name, target, stdout string
		code                 int
		want                 string
	}{
		{"English", "8.8.8.8",
			"\r\nPinging 8.8.8.8 with 32 bytes of data:\r\nReply from 8.8.8.8: bytes=32 time=11ms TTL=117\r\nReply from 8.8.8.8: bytes=32 time=12ms TTL=117\r\n" + stats, 0, "icmp 8.8.8.8 ok 11.000"},
		{"German", "8.8.8.8",
			"\r\nPing wird ausgef\x81hrt f\x81r 8.8.8.8 mit 32 Bytes Daten:\r\nAntwort von 8.8.8.8: Bytes=32 Zeit<1ms TTL=128\r\n\r\nPing-Statistik f\x81r 8.8.8.8:\r\n    Pakete: Gesendet = 2, Empfangen = 2, Verloren = 0\r\n    (0% Verlust),\r\n", 0, "icmp 8.8.8.8 ok 1.000"},
		{"Chinese", "8.8.8.8",
			"\r\n\xd5\xfd\xd4\xda Ping 8.8.8.8 \xbe\xdf\xd3\xd0 32 \xd7\xd6\xbd\xda\xb5\xc4\xca\xfd\xbe\xdd:\r\n\xc0\xb4\xd7\xd4 8.8.8.8 \xb5\xc4\xbb\xd8\xb8\xb4: \xd7\xd6\xbd\xda=32 \xca\xb1\xbc\xe4=35ms TTL=113\r\n", 0, "icmp 8.8.8.8 ok 35.000"},
		{"Chinese in UTF-8", "8.8.8.8",
			"正在 Ping 8.8.8.8 具有 32 字节的数据:\n来自 8.8.8.8 的回复: 字节=32 时间=35ms TTL=113\n", 0,
			"icmp 8.8.8.8 ok 35.000"},
		{"Japanese", "8.8.8.8",
			"8.8.8.8 に ping を送信しています 32 バイトのデータ:\n8.8.8.8 からの応答: バイト数 =32 時間 =4ms TTL=113\n", 0,
			"icmp 8.8.8.8 ok 4.000"},
		{"Russian", "8.8.8.8",
			"Обмен пакетами с 8.8.8.8 по с 32 байтами данных:\nОтвет от 8.8.8.8: число байт=32 время=11мс TTL=117\n", 0, "icmp 8.8.8.8 ok 11.000"},
		{"French puts a space before ms", "8.8.8.8",
			"Envoi d'une requ\x88te 'Ping'  8.8.8.8 avec 32 octets de donn\x82es\xff:\nR\x82ponse de 8.8.8.8\xff: octets=32 temps=11 ms TTL=117\n", 0, "icmp 8.8.8.8 ok 11.000"},
		{"a name", "dns.google",
			"Pinging dns.google [8.8.4.4] with 32 bytes of data:\nReply from 8.8.4.4: bytes=32 time=9ms TTL=117\n", 0, "icmp dns.google ok 9.000 address=8.8.4.4"},
		{"IPv6, which has no TTL", "2001:4860:4860::8888",
			"Pinging 2001:4860:4860::8888 with 32 bytes of data:\nReply from 2001:4860:4860::8888: time=15ms \n", 0, "icmp 2001:4860:4860::8888 ok 15.000"},
		{"a lost packet before an answer", "8.8.8.8",
			"Pinging 8.8.8.8 with 32 bytes of data:\nRequest timed out.\nReply from 8.8.8.8: bytes=32 time=11ms TTL=117\n", 0, "icmp 8.8.8.8 ok 11.000"},
		{"silence", "8.8.8.8",
			"Pinging 8.8.8.8 with 32 bytes of data:\nRequest timed out.\nRequest timed out.\n\nPing statistics for 8.8.8.8:\n    Packets: Sent = 2, Received = 0, Lost = 2 (100% loss),\n", 1, "icmp 8.8.8.8 timeout 0.000"},
		{"silence in German", "8.8.8.8",
			"Ping wird ausgef\x81hrt f\x81r 8.8.8.8 mit 32 Bytes Daten:\nZeit\x81berschreitung der Anforderung.\n", 1, "icmp 8.8.8.8 timeout 0.000"},
		{"unreachable comes with exit code 0", "8.8.8.8",
			"Pinging 8.8.8.8 with 32 bytes of data:\nReply from 10.244.3.1: Destination host unreachable.\n\nPing statistics for 8.8.8.8:\n    Packets: Sent = 2, Received = 2, Lost = 0 (0% loss),\n", 0, "icmp 8.8.8.8 unreachable 0.000 answer=10.244.3.1"},
		{"unreachable in German", "8.8.8.8",
			"Ping wird ausgef\x81hrt f\x81r 8.8.8.8 mit 32 Bytes Daten:\nAntwort von 10.244.3.1: Zielhost nicht erreichbar.\n", 0, "icmp 8.8.8.8 unreachable 0.000 answer=10.244.3.1"},
		{"unreachable in Chinese", "8.8.8.8",
			"正在 Ping 8.8.8.8 具有 32 字节的数据:\n来自 10.244.3.1 的回复: 无法访问目标主机。\n", 0,
			"icmp 8.8.8.8 unreachable 0.000 answer=10.244.3.1"},
		{"a TTL that ran out is no reply", "8.8.8.8",
			"Pinging 8.8.8.8 with 32 bytes of data:\nReply from 10.0.0.1: TTL expired in transit.\n", 0, "icmp 8.8.8.8 unreachable 0.000 answer=10.0.0.1"},
		{"a name that does not resolve", "nosuch.example",
			"Ping request could not find host nosuch.example. Please check the name and try again.\n", 1, "icmp nosuch.example error 0.000 error=the name does not resolve"},
		{"a user without the right", "8.8.8.8", "Unable to contact IP driver. General failure.\n",
			1, "icmp 8.8.8.8 error 0.000 error=ping.exe could not send"},
		{"no way out", "8.8.8.8",
			"Pinging 8.8.8.8 with 32 bytes of data:\nPING: transmit failed. General failure.\nPING: transmit failed. General failure.\n", 1, "icmp 8.8.8.8 error 0.000 error=ping.exe could not send"},
		{"no way out in German", "8.8.8.8",
			"Ping wird ausgef\x81hrt f\x81r 8.8.8.8 mit 32 Bytes Daten:\nPING: Fehler bei der \x9abertragung. Allgemeiner Fehler.\n", 1, "icmp 8.8.8.8 error 0.000 error=ping.exe could not send"},
		{"nothing at all", "8.8.8.8", "", 0,
			"icmp 8.8.8.8 error 0.000 error=ping.exe could not send"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := saidAll(target(t, c.target).readPing("shop/web-1", c.stdout, "",
				c.code)); got != c.want {
				t.Errorf("read as %s, not %s", got, c.want)
			}
		})
	}
}

func saidName(p evidence.DNSProbe) string {
	s := fmt.Sprintf("%s %s %s %v %s", p.Name, p.Form, p.Server, p.Sent, p.Outcome)
	for _, more := range []string{p.Rcode, strings.Join(p.Answers, ","), p.Why} {
		if more != "" {
			s += " " + more
		}
	}
	return s
}

func TestWhatNslookupSays(t *testing.T) {
	const server = "Server:  kube-dns.kube-system.svc.cluster.local\r\nAddress:  10.96.0.10\r\n\r\n"
	for _, c := range []struct{ name, stdout, stderr, want string }{
		{"English", server + "Name:    kubernetes.default\r\nAddress:  10.96.0.1\r\n\r\n", "",
			"10.96.0.10:53 [kubernetes.default.] ok NOERROR 10.96.0.1"},
		{"several addresses",
			server + "Name:    kubernetes.default\r\nAddresses:  10.96.0.1\r\n\t  10.96.0.2\r\n",
			"Non-authoritative answer:\r\n",
			"10.96.0.10:53 [kubernetes.default.] ok NOERROR 10.96.0.1,10.96.0.2"},
		{"an alias",
			server + "Name:    web.example\r\nAddress:  10.96.0.1\r\nAliases:  kubernetes.default\r\n", "", "10.96.0.10:53 [kubernetes.default.] ok NOERROR 10.96.0.1"},
		{"Chinese", "\xb7\xfe\xce\xf1\xc6\xf7:  UnKnown\r\nAddress:  10.96.0.10\r\n\r\n\xc3\xfb\xb3\xc6:    kubernetes.default\r\nAddress:  10.96.0.1\r\n", "\xb7\xc7\xc8\xa8\xcd\xfe\xd3\xa6\xb4\xf0:\r\n", "10.96.0.10:53 [kubernetes.default.] ok NOERROR 10.96.0.1"},
		{"French puts a space before the colon",
			"Serveur :   UnKnown\r\nAddress:  10.96.0.10\r\n\r\nNom :    kubernetes.default\r\nAddress:  10.96.0.1\r\n", "", "10.96.0.10:53 [kubernetes.default.] ok NOERROR 10.96.0.1"},
		{"the server's own name took too long",
			"DNS request timed out.\r\n    timeout was 1 second.\r\nServer:  UnKnown\r\nAddress:  10.96.0.10\r\n\r\nName:    kubernetes.default\r\nAddress:  10.96.0.1\r\n", "", "10.96.0.10:53 [kubernetes.default.] ok NOERROR 10.96.0.1"},
		{"no such name", server,
			"*** kube-dns.kube-system.svc.cluster.local can't find kubernetes.default.: Non-existent domain\r\n", "10.96.0.10:53 [kubernetes.default.] nxdomain NXDOMAIN"},
		{"no such name in German", "Server:  UnKnown\r\nAddress:  10.96.0.10\r\n\r\n",
			"*** kubernetes.default. wurde von UnKnown nicht gefunden: Non-existent domain.\r\n",
			"10.96.0.10:53 [kubernetes.default.] nxdomain NXDOMAIN"},
		{"no such name in Chinese", "服务器:  UnKnown\nAddress:  10.96.0.10\n\n",
			"*** UnKnown 找不到 kubernetes.default.: Non-existent domain\n",
			"10.96.0.10:53 [kubernetes.default.] nxdomain NXDOMAIN"},
		{"a server that fails", server,
			"*** kube-dns can't find kubernetes.default.: Server failed\r\n",
			"10.96.0.10:53 [kubernetes.default.] servfail SERVFAIL"},
		{"a server that refuses", server,
			"*** kube-dns can't find kubernetes.default.: Query refused\r\n",
			"10.96.0.10:53 [kubernetes.default.] refused REFUSED"},
		{"silence", "DNS request timed out.\r\n    timeout was 1 second.\r\nServer:  UnKnown\r\nAddress:  10.96.0.10\r\n\r\nDNS request timed out.\r\n    timeout was 1 second.\r\n", "*** Request to UnKnown timed-out\r\n", "10.96.0.10:53 [kubernetes.default.] timeout"},
		{"silence in Chinese",
			"DNS request timed out.\n    timeout was 1 second.\n服务器:  UnKnown\nAddress:  10.96.0.10\n\nDNS request timed out.\n    timeout was 1 second.\n", "*** 请求 UnKnown 超时\n", "10.96.0.10:53 [kubernetes.default.] timeout"},
		{"a name without an address", server + "Name:    kubernetes.default\r\n\r\n", "",
			"10.96.0.10:53 [kubernetes.default.] nodata NOERROR"},
		{"an IPv6 server",
			"Server:  UnKnown\r\nAddress:  fd00::a\r\n\r\nName:    kubernetes.default\r\nAddress:  10.96.0.1\r\n", "", "[fd00::a]:53 [kubernetes.default.] ok NOERROR 10.96.0.1"},
		{"the server's own address is no answer", server, "",
			"10.96.0.10:53 [kubernetes.default.] error nslookup.exe says nothing that is understood"},
		{"nothing at all", "", "",
			"system [kubernetes.default.] error nslookup.exe says nothing that is understood"},
	} {
		t.Run(c.name, func(t *testing.T) {
			row := PodPlan{Pod: "shop/web-1"}.nameRow("kubernetes.default", "plain")
			row.Sent = []string{"kubernetes.default."}
			readNslookup(&row, c.stdout, c.stderr)
			if got, want := saidName(row), "kubernetes.default plain "+c.want; got != want {
				t.Errorf("read as %s, not %s", got, want)
			}
		})
	}
}

func TestWhatResolveDnsNameSays(t *testing.T) {
	rows, err := PodPlan{Pod: "shop/web-1"}.readPowerShell([]string{"a", "b.c", "d", "e", "f", "g",
		"h"},
		"\ufeff"+`[{"ips":["10.96.0.1","10.96.0.2"],"code":0,"ms":12,"name":"a"},{"ips":[],"code":9003,"ms":3,"name":"b.c"},{"ips":[],"code":1460,"ms":1500,"name":"d"},`+
			`{"ips":[],"code":9501,"ms":1,"name":"e"},{"ips":[],"code":0,"ms":1,"name":"f"},{"ips":[],"code":5,"ms":1,"name":"g"}]`+"\r\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a windows system [a] ok NOERROR 10.96.0.1,10.96.0.2",
		"b.c windows system [b.c] nxdomain NXDOMAIN", "d windows system [d] timeout",
		"e windows system [e] nodata NOERROR",
		"f windows system [f] nodata NOERROR",
		"g windows system [g] error Resolve-DnsName ended with the error 5 of Windows",
		"h windows system [] error powershell.exe does not speak of it"}
	for i, row := range rows {
		if got := saidName(row); got != want[i] {
			t.Errorf("read as %s, not %s", got, want[i])
		}
	}
	if _, err := (PodPlan{}).readPowerShell([]string{"a"},
		"Der Befehl wurde nicht gefunden."); err == nil {
		t.Error("what is no JSON is an error")
	}
}

func TestWhatCurlResolves(t *testing.T) {
	const ok = "*   Trying 10.96.0.1:80...\n* Name '127.0.0.1' family 2 resolved to '127.0.0.1' family 2\n* connect to 10.96.0.1 port 80 failed: Network unreachable\ncurl: (7) Failed to connect\n|name|0.004|0.006|"
	const none = "* Could not resolve host: b\n* Closing connection 1\ncurl: (6) Could not resolve host: b\n|name|0.000000|0.012|"
	for _, c := range []struct{ name, text, a, b string }{
		{"one resolves and one does not", ok + none, "a windows system [a] ok 10.96.0.1",
			"b windows system [b] nxdomain"},
		{"newer ones list the addresses",
			"* Host a:80 was resolved.\r\n* IPv6: (none)\r\n* IPv4: 10.96.0.1, 10.96.0.2\r\n*   Trying 10.96.0.1:80...\r\n" + "|name|0.004|0.006|" + none, "a windows system [a] ok 10.96.0.1,10.96.0.2", "b windows system [b] nxdomain"},
		{"the oldest writes no port",
			"* Rebuilt URL to: http://a/\n*   Trying 10.96.0.1...\n* TCP_NODELAY set\n|name|0.0|0.0|" + none, "a windows system [a] ok 10.96.0.1", "b windows system [b] nxdomain"},
		{"none resolves", none + none,
			"a windows system [a] error it does not resolve, no more than any other name, and curl.exe does not report why", "b windows system [b] error it does not resolve, no more than any other name, and curl.exe does not report why"},
		{"silence, and no time for the rest",
			"* Resolving timed out after 2000 milliseconds\ncurl: (28) Resolving timed out\n|name|0.0|2.0|", "a windows system [a] timeout", "b windows system [] error curl.exe did not come to it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := PodPlan{Pod: "shop/web-1"}
			rows := []evidence.DNSProbe{p.nameRow("a", "windows"), p.nameRow("b", "windows")}
			readCurlNames(rows, c.text)
			if a, b := saidName(rows[0]), saidName(rows[1]); a != c.a || b != c.b {
				t.Errorf("read as\n%s\n%s\nnot\n%s\n%s", a, b, c.a, c.b)
			}
		})
	}
}

func TestTargetsOfAPod(t *testing.T) {
	for s, want := range map[string]string{
		"10.96.0.1:443": "{10.96.0.1 443 https }", "8.8.8.8": "{8.8.8.8 0  }",
		"https://example.com":         "{example.com 443 https /}",
		"http://[fd00::1]:8081/a?b=c": "{fd00::1 8081 http /a?b=c}",
		"10.96.0.10:53":               "{10.96.0.10 53  }", "[fd00::1]:80": "{fd00::1 80 http }",
		"fd00::1": "{fd00::1 0  }", "web.shop:8080": "{web.shop 8080 http }",
		"": "", "-n": "", "a b": "", "x;calc.exe": "", "https://u:p@example.com": "",
		"file:///C:/x": "", "a:0": "", "a:99999": "", "--output:80": "", "fe80::1%eth0": "",
		"'": "", "http://a\"b/": "",
	} {
		got, err := parsePodTarget(s)
		text := fmt.Sprintf("{%s %d %s %s}", got.Host, got.Port, got.Scheme, got.Path)
		if err == nil && text != want || err != nil && want != "" {
			t.Errorf("%q is %s %v, not %s", s, text, err, want)
		}
	}
}

// FuzzWhatAPodSays: whatever a container says, rows are legal and honest.
func FuzzWhatAPodSays(f *testing.F) {
	f.Add("|403|10.96.0.1|0.0|0.004|0.02|0.03|", "* Connected to x\n< HTTP/1.1 200 OK", 0)
	f.Add("Pinging 8.8.8.8 with\nReply from 8.8.8.8: bytes=32 time=11ms TTL=117\nReply from 10.0.0.1: Destination", "", 1)
	f.Add("Server:  x\nAddress:  10.96.0.10\n\nName:    kubernetes\nAddress:  10.96.0.1\n",
		"*** x: Non-existent domain", 0)
	f.Add("*   Trying 10.96.0.1:80...\n|name|0.1|0.2|* Could not resolve host: b\n|name|0|9999999|",
		"", 28)
	f.Add(`[{"name":"kubernetes","code":0,"ms":-1,"ips":["10.96.0.1"]}]`, "", 0)
	reach := map[string]bool{"ok": true, "timeout": true, "refused": true, "reset": true,
		"unreachable": true, "denied": true, "error": true}
	names := map[string]bool{"ok": true, "nxdomain": true, "nodata": true, "servfail": true,
		"refused": true, "timeout": true, "error": true}
	f.Fuzz(func(t *testing.T, stdout, stderr string, code int) {
		p := PodPlan{Pod: "shop/web-1"}
		var rows []evidence.ReachProbe
		for _, s := range []string{"10.96.0.1:443", "http://web.shop/", "10.96.0.10:53"} {
			rows = append(rows, target(t, s).readCurl(p.Pod, stdout, stderr, code)...)
		}
		for _, s := range []string{"8.8.8.8", "dns.google", "fd00::1"} {
			rows = append(rows, target(t, s).readPing(p.Pod, stdout, stderr, code)...)
		}
		for _, r := range rows {
			if !reach[r.Outcome] || r.From != p.Pod || r.LatencyMS < 0 ||
				(r.Why != "") != (r.Outcome == "error" || r.Outcome == "denied") ||
				r.Why+r.Answer != evidence.Clean(r.Why+r.Answer) {
				t.Errorf("%+v", r)
			}
		}
		one := p.nameRow("kubernetes", "plain")
		one.Sent = []string{"kubernetes."}
		readNslookup(&one, stdout, stderr)
		told := []evidence.DNSProbe{one, p.nameRow("a", "windows"), p.nameRow("b", "windows")}
		readCurlNames(told[1:], stdout)
		more, _ := p.readPowerShell([]string{"kubernetes"}, stdout)
		for _, r := range append(told, more...) {
			if !names[r.Outcome] || (r.Outcome == "ok") != (len(r.Answers) > 0) ||
				(r.Why != "") != (r.Outcome == "error") || r.LatencyMS < 0 {
				t.Errorf("%+v", r)
			}
		}
	})
}
