package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestCertExpiredOrClockSkew(t *testing.T) {
	cert := func(path, subject, issuer, from, until string) string {
		return `{"path":"` + path + `","subject":"` + subject + `","issuer":"` + issuer +
			`","notBefore":"` + from + `","notAfter":"` + until + `"}`
	}
	list := func(certs ...string) string {
		return "-- certificates.json --\n[" + strings.Join(certs, ",") + "]\n"
	}
	clock := func(ms string) string {
		return "-- time.json --\n{\"service\":\"running\",\"apiServerSkewMs\":" + ms + "}\n"
	}
	const pki, me = `C:\\var\\lib\\kubelet\\pki\\`, "O=system:nodes,CN=system:node:win-1"
	client := func(from, until string) string {
		return cert(pki+"kubelet-client-current.pem", me, "CN=kubernetes", from, until)
	}
	good := client("2026-02-01T00:00:00Z", "2027-02-01T00:00:00Z")
	ca := func(until string) string {
		return cert(`C:\\etc\\kubernetes\\pki\\ca.crt`, "CN=kubernetes", "CN=kubernetes",
			"2016-01-01T00:00:00Z", until)
	}
	expired := func(log, line string) string {
		return "-- logs/" + log + "/x.log --\n" + line + "\n"
	}
	const x509 = `x509: certificate has expired or is not yet valid: current time 2026-11-20T10:00:00Z is after 2026-11-19T10:00:00Z`
	runLooks(t, "cert-expired-or-clock-skew", []look{
		{"the client certificate", list(client("2025-11-19T00:00:00Z", "2026-11-19T00:00:00Z")),
			"fail: the kubelet's client certificate expired on 2026-11-19 at 00:00 UTC [state]"},
		{"not renewed, two days before the end",
			list(client("2025-11-22T00:00:00Z", "2026-11-22T00:00:00Z")) + clock("5"),
			"warn: the kubelet's client certificate expires on 2026-11-22 at 00:00 UTC and was not renewed [state]"},
		{"one that lives for a day, with hours to go",
			list(client("2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z")) + clock("5"), "pass"},
		{"from the future", list(client("2026-11-20T11:00:00Z", "2027-11-20T11:00:00Z")),
			"fail: the kubelet's client certificate is not valid before 2026-11-20 11:00 UTC: the node's clock is behind [state]"},
		{"earlier generations of a rotated certificate",
			list(good, cert(pki+"kubelet-client-2025-01-01-10-00-00.pem", me, "CN=kubernetes",
				"2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z")) + clock("5"), "pass"},
		{"an old root in a bundle with a new one", list(good, ca("2026-01-01T00:00:00Z"),
			ca("2036-01-01T00:00:00Z")) + clock("5"), "pass"},
		{"the only CA", list(good, ca("2026-01-01T00:00:00Z")),
			"fail: the cluster's CA certificate expired on 2026-01-01 at 00:00 UTC [state]"},
		{"the serving certificate",
			list(good, cert(pki+"kubelet.crt", "CN=win-1@1", "CN=win-1-ca@1",
				"2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z")),
			"warn: the kubelet's serving certificate expired on 2026-01-01 at 00:00 UTC [state]"},
		{"a certificate of docker's remote API", list(good, cert(`C:\\ProgramData\\docker\\certs.d\\server-cert.pem`, "CN=win-1", "CN=win-1-ca@1",
			"2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z")) + clock("5"), "pass"},
		{"the CA of the API server on RKE2", list(good, cert(`C:\\var\\lib\\rancher\\rke2\\agent\\server-ca.crt`, "CN=rke2-server-ca@1", "CN=rke2-server-ca@1",
			"2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z")),
			"fail: the cluster's CA certificate expired on 2026-01-01 at 00:00 UTC [state]"},
		{"the clock far off", list(good) + clock("-400000"),
			"fail: Node clock differs from the API server by 6m40s [state]"},
		{"the clock somewhat off, and no certificate recorded", clock("90000"),
			"warn: Node clock differs from the API server by 1m30s [state]"},
		{"the clock right, and no certificate recorded", clock("20"), "unknown"},
		{"nobody measured the clock", list(good), "unknown"},
		{"the kubelet's log alone",
			expired("kubelet",
				`E1120 10:00:00.1 1 reflector.go:1] Get "https://10.0.0.1:6443/api": `+x509),
			"fail: a certificate between this node and the API server has expired or is not yet valid [text]"},
		{"a registry's certificate",
			expired("kubelet",
				`E1120 10:00:00.1 1 x.go:1] "Failed to pull image" err="failed to do request: Head https://registry/v2/: `+x509+`"`), "unknown"},
		{"the runtime and a registry", expired("containerd", x509), "unknown"},
		{"the clock was wrong until Windows had set it", expired("kubelet",
			"E1120 09:00:00.1 1 reflector.go:1] Get \"https://10.0.0.1:6443/api\": "+x509+
				"\nI1120 09:01:00.1 1 kubelet_node_status.go:73] \"Successfully registered node\""),
			"info: the logs say: a certificate between this node and the API server has expired or is not yet valid; it is over: a later line says: Successfully registered node [text]"},
	})
}

func TestTimeServiceNotRunning(t *testing.T) {
	state := func(json string) string { return "-- time.json --\n" + json + "\n" }
	runLooks(t, "time-service-not-running", []look{
		{"stopped", state(`{"service":"stopped"}`),
			"warn: Windows Time service is stopped, start type not recorded (expected: running) [state]"},
		{"started by a trigger, and the clock is right",
			state(`{"service":"stopped","apiServerSkewMs":40}`) +
				"-- services.json --\n[{\"name\":\"W32Time\",\"state\":\"stopped\",\"startType\":\"manual\"}]\n",
			"warn: Windows Time service is stopped, start type manual (expected: running); the clock is still correct [state]"},
		{"disabled, and the clock is right by luck",
			state(`{"service":"stopped","apiServerSkewMs":40}`) +
				"-- services.json --\n[{\"name\":\"w32time\",\"state\":\"stopped\",\"startType\":\"disabled\"}]\n",
			"warn: Windows Time service is stopped, start type disabled (expected: running) [state]"},
		{"without a source",
			state(`{"service":"running","source":"Local CMOS Clock","apiServerSkewMs":3000}`),
			"warn: Windows Time service is running without a time source: Local CMOS Clock [state]"},
		{"the hypervisor's clock",
			state(`{"service":"running","source":"VM IC Time Synchronization Provider"}`), "pass"},
		{"another program keeps the clock",
			"-- services.json --\n[{\"name\":\"w32time\",\"state\":\"stopped\"},{\"name\":\"NTP\",\"state\":\"running\"}]\n", "pass"},
		{"services without it",
			"-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\"}]\n", "unknown"},
	})
}

func TestKubeconfigReadable(t *testing.T) {
	acls := func(list string) string { return "-- security.json --\n{\"acls\":[" + list + "]}\n" }
	const closed, open = `"D:PAI(A;;FA;;;SY)(A;;FA;;;BA)"`,
		`"D:AI(A;ID;FA;;;SY)(A;ID;0x1200a9;;;BU)"`
	const there = "-- files.json --\n[{\"path\":\"C:\\\\k\\\\config\",\"outcome\":\"copied\"}]\n-- files/C/k/config --\napiVersion: v1\n"
	runLooks(t, "kubeconfig-readable", []look{
		{"the file itself, with what it inherits from drive C:", acls(`{"path":"c:/k/config","sddl":` + open + `}`),
			`info: Users can read C:\k\config (inherited from drive C:, normal on Windows; a hardened node allows SYSTEM and Administrators only) [state]`},
		{"a new folder of a cloud's image, before its script has closed it",
			acls(`{"path":"C:\\k","sddl":"D:AI(A;ID;0x1301bf;;;AU)(A;OICIIOID;SDGXGWGR;;;AU)(A;OICIID;FA;;;SY)(A;OICIID;0x1200a9;;;BU)"}`) + there,
			`info: Authenticated Users and Users can read C:\k\config (inherited from drive C:, normal on Windows; a hardened node allows SYSTEM and Administrators only) [state]`},
		{"AKS, whose script grants Users the same",
			acls(`{"path":"C:\\k","sddl":"D:PAI(A;OICI;0x1200a9;;;BU)(A;OICI;FA;;;BA)"}`) + there,
			`info: Users can read C:\k\config (inherited from drive C:, normal on Windows; a hardened node allows SYSTEM and Administrators only) [state]`},
		{"somebody let everybody in beside that",
			acls(`{"path":"C:\\k\\config","sddl":"D:AI(A;ID;0x1200a9;;;BU)(A;;FR;;;WD)"}`),
			`warn: Users and Everyone can read C:\k\config (expected: SYSTEM and Administrators only) [state]`},
		{"a closed file in an open folder",
			acls(`{"path":"C:\\k","sddl":"D:(A;OICI;FR;;;BU)"},{"path":"C:\\k\\config","sddl":`+
				closed+`}`) + there, "pass"},
		{"only the folder is recorded, and it hands reading down to files",
			acls(`{"path":"C:\\k","sddl":"D:(A;OICI;FR;;;AU)"}`) + there,
			`warn: Authenticated Users can read C:\k\config (expected: SYSTEM and Administrators only) [state]`},
		{"a folder that hands reading to folders only",
			acls(`{"path":"C:\\k","sddl":"D:(A;CI;FR;;;BU)(A;CIIO;FA;;;BU)(A;OICI;FA;;;BA)"}`) +
				there, "pass"},
		{"an open folder without such a file",
			acls(`{"path":"C:\\k","sddl":"D:(A;OICI;FR;;;BU)"}`) +
				"-- files.json --\n[{\"path\":\"C:\\\\k\\\\config\",\"outcome\":\"absent\"}]\n",
			"unknown"},
		{"an owner and no list", acls(`{"path":"C:\\k\\config","sddl":"O:BAG:SY"}`), "unknown"},
		{"no list at all, which lets everybody in",
			acls(`{"path":"C:\\etc\\kubernetes\\kubelet.conf","sddl":"D:NO_ACCESS_CONTROL"}`),
			`warn: Everyone can read C:\etc\kubernetes\kubelet.conf (expected: SYSTEM and Administrators only) [state]`},
	})
}

func TestGMSA(t *testing.T) {
	pods := func(options string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"namespace":"shop","name":"web-1"},"spec":{"containers":[{"name":"web","securityContext":{"windowsOptions":{` + options + `}}}]},"status":{"phase":"Running"}}]}
`
	}
	const given = `"gmsaCredentialSpecName":"web","gmsaCredentialSpec":"{}"`
	event := func(id, time string) string {
		return `{"log":"Microsoft-Windows-Containers-CCG/Admin","provider":"Microsoft-Windows-Containers-CCG","id":` + id + `,"time":"` + time + `","message":"auf Deutsch"}`
	}
	events := func(list ...string) string {
		return "-- events.json --\n[" + strings.Join(list, ",") + "]\n"
	}
	words := func(id, said string) string {
		return strings.Replace(event(id, "2026-11-20T09:05:00Z"), "auf Deutsch", said, 1)
	}
	const inDomain = `"gmsaCredentialSpecName":"web","gmsaCredentialSpec":"{\"DomainJoinConfig\":{\"DnsName\":\"corp.example\"}}"`
	nltest := func(pod, lines string) string { // kubernetes 99862
		return "-- logs/pods/shop_" + pod + "_web_0.log --\n" + lines
	}
	const noServers = "2026-11-20T03:06:03.114210800Z stdout F Trusted DC Connection Status Status = 1311 0x51f ERROR_NO_LOGON_SERVERS\n"
	const success = "2026-11-20T03:06:08.114210800Z stdout F Trusted DC Connection Status Status = 0 0x0 NERR_Success\n"
	corefile := func(more string) string {
		return `-- api/configmaps.json --
{"items":[{"metadata":{"namespace":"kube-system","name":"coredns"},"data":{"Corefile":".:53 {\n    forward . 8.8.8.8 8.8.4.4 {\n    }\n}\n` + more + `"}}]}
`
	}
	const noIdentity = "fail: nltest in shop/web-1 fails: the pod uses a gMSA, but has no identity in the domain [state+text]"
	runLooks(t, "gmsa-not-working", []look{
		// azure-aks-docs pull request 245
		{"no domain controller is found", pods(given) + events(words("8", "Container Credential Guard failed to fetch gmsa credentials for web using plugin {C}. Error reason: The directory service is not available.")),
			"fail: Container Credential Guard: the node finds no domain controller: DNS of the domain over UDP and TCP, or its ports [state]"},
		{"an export lost the number", pods(given) + events(words("0", "Container Credential Guard failed to fetch credentials from the plug-in: {C}. Error: 0x80070057")),
			"fail: Container Credential Guard: the plug-in returned no credentials (its input in the credential spec, or access to the secret store) [state]"},
		{"and it works now", pods(given) + events(event("8", "2026-11-20T09:01:00Z"), words("0", "Container Credential Guard fetched gmsa credentials for web using plug-in: {C}")), "pass"},
		{"nltest in the log of the pod", pods(inDomain) + events() + nltest("web-1", noServers) + corefile(""), noIdentity},
		{"without times", pods(inDomain) + events() + nltest("web-1", noServers[len("2026-11-20T03:06:03.114210800Z stdout F "):]), noIdentity},
		{"the container had just started", pods(inDomain) + events() + nltest("web-1", noServers+success) + corefile(""),
			"info: the logs say: nltest in a container: no domain controller accepts its logon; it is over: a later line says: Trusted DC Connection Status Status = 0 0x0 NERR_Success [text]"},
		{"it worked, and fails now", pods(inDomain) + events() + nltest("web-1", success+noServers), noIdentity},
		{"in a pod without such an account", pods(inDomain) + events() + nltest("api-1", noServers),
			"info: the logs say: nltest in a container: no domain controller accepts its logon; the node's current state does not confirm it [text]"},
		{"the webhook did not see the pod", pods(`"gmsaCredentialSpecName":"web"`),
			"fail: shop/web-1 names credential spec web without having its content: the gMSA webhook did not process it [state]"},
		{"the plug-in is not installed, told by the number",
			pods(given) + events(event("1", "2026-11-20T09:00:00Z"),
				event("4", "2026-11-20T09:01:00Z")),
			"fail: Container Credential Guard: the plug-in cannot be loaded: not installed or not registered on this node [state]"},
		{"it failed and works now", pods(given) + events(event("2", "2026-11-20T09:05:00Z"),
			event("8", "2026-11-20T09:01:00Z")), "pass"},
		{"it worked and fails now", pods(given) + events(event("2", "2026-11-20T09:01:00Z"),
			event("8", "2026-11-20T09:05:00Z")),
			"fail: Container Credential Guard: Active Directory denies the account's password to this node or to the user of the plug-in [state]"},
		{"no event log was recorded", pods(given), "unknown"},
		{"nobody uses such an account", pods("") + events(event("8", "2026-11-20T09:05:00Z")),
			"skip"},
		{"nltest in a container, pasted",
			"-- logs/pod/nltest.txt --\nI_NetLogonControl failed: Status = 1722 0x6ba RPC_S_SERVER_UNAVAILABLE\n", "fail: nltest in a container: it cannot log on to the domain [text]"},
		{"nltest in German", logTelling("nltest",
			"Fehler beim Abrufen der übergeordneten Domäne: Status = 1722 0x6ba RPC_S_SERVER_UNAVAILABLE"),
			"fail: nltest in a container: it cannot log on to the domain [text]"},
	})
	os := func(build, ubr string) string {
		return "-- os.json --\n{\"build\":" + build + ",\"ubr\":" + ubr + "}\n"
	}
	const containerd,
		docker = "-- services.json --\n[{\"name\":\"containerd\",\"state\":\"running\"}]\n",
		"-- services.json --\n[{\"name\":\"docker\",\"state\":\"running\"}]\n"
	runLooks(t, "gmsa-containerd-share", []look{
		{"one revision too old", containerd + os("17763", "1816") + pods(given),
			"warn: shop/web-1 uses a gMSA: under containerd it cannot open shares on Windows 10.0.17763.1816 (required: 17763.1817 or later) [state]"},
		{"the revision of the update", containerd + os("17763", "1817") + pods(given), "pass"},
		{"a revision that was not recorded", containerd + os("17763", "0") + pods(given),
			"unknown"},
		{"nobody uses such an account", containerd + os("17763", "1") + pods(""), "skip"},
		{"docker never had the limit", docker + os("17763", "1") + pods(given), "skip"},
		{"nor had Server 2022", containerd + os("20348", "1") + pods(given), "skip"},
		{"no pods were recorded", containerd + os("17763", "1"), "unknown"},
	})
}

func TestDefenderExclusionsMissing(t *testing.T) {
	defender := func(paths, processes string) string {
		return "-- services.json --\n[{\"name\":\"containerd\",\"state\":\"running\"}]\n-- security.json --\n{\"defender\":{\"running\":true,\"exclusions\":{\"paths\":[" + paths + "],\"processes\":[" + processes + "]}}}\n"
	}
	const without = `info: Microsoft Defender scans C:\ProgramData\containerd\root: neither the folder nor the program containerd is excluded [state]`
	const held = `time="2026-11-20T09:58:00Z" level=error msg="apply failure" error="hcsshim::ProcessBaseLayer C:\ProgramData\containerd\root\io.containerd.snapshotter.v1.windows\snapshots\7: The process cannot access the file because it is being used by another process."`
	runLooks(t, "defender-exclusions-missing", []look{
		{"neither folder nor program", defender("", ""), without},
		{"neither, and a file of a layer is in use", defender("", "") + logTelling("containerd", held+"\n"),
			strings.NewReplacer("info:", "warn:", "[state]", "[state+text]").Replace(without)},
		{"neither, and a snapshot cannot be removed", defender("", "") + logTelling("containerd", strings.Replace(held, "hcsshim::ProcessBaseLayer", "rename", 1)+"\n"), without},
		{"a folder beside it", defender(`"C:\\ProgramData\\containerd2"`, `"notepad.exe"`),
			without},
		{"the folder above, by a variable", defender(`"%ProgramData%\\containerd\\*"`, ""), "pass"},
		{"the program by its path", defender("", `"C:\\Program Files\\containerd\\containerd.exe"`),
			"pass"},
		{"the runtime keeps its data elsewhere", defender(`"C:\\ProgramData\\containerd"`, "") +
			"-- cri.json --\n{\"config\":{\"containerdRootDir\":\"D:/containerd\"}}\n",
			`info: Microsoft Defender scans D:\containerd: neither the folder nor the program containerd is excluded [state]`},
		{"a recorder without rights sees none",
			"-- meta.json --\n{\"layout\":\"evidence/v1\",\"node\":\"win-1\",\"collectedAt\":\"2026-11-20T10:00:00Z\",\"elevated\":false}\n" + defender("", ""), "unknown"},
		{"switched off",
			"-- services.json --\n[{\"name\":\"containerd\",\"state\":\"running\"}]\n-- security.json --\n{\"defender\":{\"running\":false}}\n", "skip"},
		{"nobody looked",
			"-- services.json --\n[{\"name\":\"containerd\",\"state\":\"running\"}]\n-- security.json --\n{\"acls\":[]}\n", "unknown"},
	})
}

// kubernetes/website pull request 26784
func TestWhereCoreDNSSendsTheDomainOfAGMSA(t *testing.T) {
	node := func(policy, corefile string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"namespace":"shop","name":"web-1"},"spec":{"dnsPolicy":"` + policy + `","securityContext":{"windowsOptions":{"gmsaCredentialSpecName":"web","gmsaCredentialSpec":"{\"DomainJoinConfig\":{\"DnsName\":\"ad.corp.example\"}}"}},"containers":[{"name":"web"}]},"status":{"phase":"Running"}}]}
-- api/configmaps.json --
{"items":[{"metadata":{"namespace":"kube-system","name":"coredns"},"data":{"Corefile":"` + corefile + `"}}]}
-- events.json --
[]
-- logs/pods/shop_web-1_web_0.log --
Trusted DC Connection Status Status = 1311 0x51f ERROR_NO_LOGON_SERVERS
`
	}
	const rest = `.:53 {\n    forward . 8.8.8.8 8.8.4.4 {\n    }\n}\n`
	for _, row := range []struct {
		name, recording string
		want            bool
	}{
		{"to everybody's", node("ClusterFirst", rest), true},
		{"a rule for the domain", node("", rest+`AD.corp.example:53 {\n    forward . 10.1.4.10\n}`), false},
		{"a rule for the domain above", node("", rest+`corp.example:53 {\n    forward . 10.1.4.10\n}`), false},
		{"a pod that does not use CoreDNS", node("Default", rest), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := fmt.Sprintf("%+v", lookAt(t, "gmsa-not-working", row.recording).Findings[0].Because)
			if strings.Contains(got, "the Corefile has no rule for ad.corp.example: its names go to 8.8.8.8 8.8.4.4") != row.want {
				t.Errorf("evidence: %s", got)
			}
		})
	}
}

func TestKubeletClientCAStale(t *testing.T) {
	const signer = "kube-apiserver-to-kubelet-signer"
	node := func(certs ...string) string {
		return `-- services.json --
[{"name":"kubelet","state":"running","binPath":"C:\\k\\kubelet.exe","args":["--config=C:\\k\\kubelet.conf"]}]
-- files/C/k/kubelet.conf --
{"kind":"KubeletConfiguration","apiVersion":"kubelet.config.k8s.io/v1beta1","authentication":{"x509":{"clientCAFile":"C:\\k\\kubelet-ca.crt"}}}
-- certificates.json --
[` + strings.Join(certs, ",") + "]\n"
	}
	ca := func(subject, from, until string) string {
		return `{"path":"c:\\k\\kubelet-ca.crt","subject":"` + subject + `","issuer":"` + subject + `","notBefore":"` + from + `T00:00:00Z","notAfter":"` + until + `T00:00:00Z"}`
	}
	// GoogleCloudPlatform/k8s-stackdriver issue 673, whose program has the same authenticator
	const unknown = `err="verifying certificate SN=23850158042506833490065535935480109479, SKID=, AKID=53:D7 failed: x509: certificate signed by unknown authority"`
	said := func(component, err string) string {
		return "-- logs/" + component + "/" + component + ".log --\n" + (`E1120 09:50:00.000000    3420 server.go:310] "Unable to authenticate the request due to an error" ` + err + "\n")
	}
	old, cluster := ca("OU=openshift,CN="+signer, "2025-11-24", "2026-11-24"), ca("CN=kubernetes", "2024-01-01", "2034-01-01")
	runLooks(t, "kubelet-client-ca-stale", []look{
		{"the CA of OpenShift is due, and no newer one is there", node(old) + said("kubelet", unknown),
			`warn: the kubelet refuses a client certificate, and c:\k\kubelet-ca.crt has no newer CA than kube-apiserver-to-kubelet-signer of 2025-11-24 [state+text]`},
		{"a newer one is there, under another name", node(old, ca("CN=openshift-kube-apiserver-operator_"+signer+"@1789", "2026-09-12", "2027-09-12")) + said("kubelet", unknown), "unknown"},
		{"a CA that has expired", node(ca("CN=kubernetes", "2016-11-01", "2026-11-01")) + said("kubelet", unknown),
			`warn: the kubelet refuses a client certificate, and c:\k\kubelet-ca.crt has no newer CA than CN=kubernetes of 2016-11-01 [state+text]`},
		{"the client of another cluster", node(cluster) + said("kubelet", unknown), "unknown"},
		{"nobody was refused", node(old) + said("kubelet", ""), "unknown"},
		// opentelemetry-collector-contrib issue 26120
		{"a client with an old token", node(old) + said("kubelet", `err="[invalid bearer token, service account token has expired]"`), "unknown"},
		{"another program", node(old) + said("kubelet", "") + said("csi-driver", unknown), "unknown"},
		{"the log of the kubelet is not there", node(old) + said("csi-driver", unknown), "unknown"},
		{"the log alone", said("kubelet", unknown), "info: the kubelet does not trust the CA of a client's certificate [text]"},
		{"the file is not known", "-- certificates.json --\n[" + old + "]\n" + said("kubelet", unknown), "info: the kubelet does not trust the CA of a client's certificate [text]"},
	})
	// A cluster administrator can have the CA replaced at any time: windows-machine-config-operator pull request 1013.
	replaced := func(of, at string) string {
		return "-- api/events.json --\n" + `{"items":[{"reason":"SignerUpdateRequired","message":"\"` + of + `\" in \"openshift-kube-apiserver-operator\" requires a new signing cert/key pair: missing notAfter","lastTimestamp":"` + at + `"}]}` + "\n"
	}
	refused := func(times ...string) string {
		list := "-- logs/kubelet/kubelet.log --\n"
		for _, at := range times {
			list += "E1120 " + at + `:00.000000    3420 server.go:310] "Unable to authenticate the request due to an error" ` + unknown + "\n"
		}
		return list
	}
	const kubelets = "OU=openshift,CN=kubelet-signer"
	young, newest := ca("OU=openshift,CN="+signer, "2026-05-11", "2027-05-11"), ca("CN=openshift-kube-apiserver-operator_"+signer+"@1795139212", "2026-11-20", "2027-11-20")
	runLooks(t, "kubelet-client-ca-stale", []look{
		{"OpenShift replaced its CA", node(young) + replaced(signer, "2026-11-20T08:00:00Z") + refused("08:05", "09:50"),
			`warn: the kubelet refuses a client certificate, and c:\k\kubelet-ca.crt has no newer CA than kube-apiserver-to-kubelet-signer of 2026-05-11 [state+text]`},
		{"the new CA is there", node(young, newest) + replaced(signer, "2026-11-20T00:00:01Z") + refused("08:05", "09:50"), "unknown"},
		{"the file is not written yet", node(young) + replaced(signer, "2026-11-20T09:30:00Z") + refused("09:35", "09:50"), "unknown"},
		{"a client that was refused before", node(young) + replaced(signer, "2026-11-20T08:00:00Z") + refused("07:00", "09:50"), "unknown"},
		{"another CA was replaced", node(young) + replaced("aggregator-client-signer", "2026-11-20T08:00:00Z") + refused("08:05", "09:50"), "unknown"},
		{"nothing was replaced", node(young) + refused("08:05", "09:50"), "unknown"},
		// release notes of the Windows Machine Config Operator 10.16.0
		{"the file has the kubelets' CA alone", node(ca(kubelets, "2026-05-11", "2027-05-11")) + refused("08:05", "09:50"),
			`warn: the kubelet refuses a client certificate, and c:\k\kubelet-ca.crt has no kube-apiserver-to-kubelet-signer [state+text]`},
		{"the file has both", node(young, ca(kubelets, "2026-05-11", "2027-05-11")) + refused("08:05", "09:50"), "unknown"},
	})
	// canonical/microk8s issue 4522: the API server verifies the certificate that the kubelet signed itself
	handshakes := func(client, alert string, times ...string) string {
		list := "-- api/endpointslices.json --\n" + `{"items":[{"metadata":{"name":"kubernetes","namespace":"default","labels":{"kubernetes.io/service-name":"kubernetes"}},"addressType":"IPv4","endpoints":[{"addresses":["172.16.20.11"]}],"ports":[{"port":6443}]}]}` +
			"\n-- logs/kubelet/kubelet.log --\n"
		for _, at := range times {
			list += "I1120 " + at + ":00.000000    3420 log.go:245] http: TLS handshake error from " + client + ":42954: remote error: tls: " + alert + "\n"
		}
		return list
	}
	const refuses = "warn: the API server at 172.16.20.11 refuses the kubelet's certificate [state]"
	runLooks(t, "kubelet-serving-cert-no-address", []look{
		{"the API server, again and again", handshakes("172.16.20.11", "bad certificate", "09:05", "09:20", "09:50"), refuses},
		{"it does not know who signed it", handshakes("172.16.20.11", "unknown certificate authority", "09:05", "09:20", "09:50"), refuses},
		{"metrics-server, and then the API server", strings.Replace(handshakes("10.48.3.7", "bad certificate", "09:05", "09:20", "09:50"),
			"09:50:00.000000    3420 log.go:245] http: TLS handshake error from 10.48.3.7", "09:50:00.000000    3420 log.go:245] http: TLS handshake error from 172.16.20.11", 1), refuses},
		{"metrics-server", handshakes("10.48.3.7", "bad certificate", "09:05", "09:20", "09:50"), "unknown"},
		{"somebody tried it from there", handshakes("172.16.20.11", "bad certificate", "09:50"), "unknown"},
		{"it is over", handshakes("172.16.20.11", "bad certificate", "07:05", "07:20", "07:50"), "unknown"},
	})
	// The agents of RKE2 and k3s keep the CA of the API server in a file of its own.
	expired := ca("CN=client-ca", "2024-11-17", "2026-11-17")
	server := strings.ReplaceAll(ca("CN=server-ca", "2025-05-12", "2035-05-10"), "kubelet-ca", "server-ca")
	runLooks(t, "cert-expired-or-clock-skew", []look{
		{"the only CA", node(expired), "fail: the cluster's CA certificate expired on 2026-11-17 at 00:00 UTC [state]"},
		{"a CA of clients alone", node(expired, server), "warn: the CA certificate for clients of the kubelet expired on 2026-11-17 at 00:00 UTC [state]"},
		{"the other CA is that of docker's remote API", node(expired, strings.ReplaceAll(server, `c:\\k\\server-ca.crt`, `C:\\ProgramData\\docker\\certs.d\\ca.pem`)),
			"fail: the cluster's CA certificate expired on 2026-11-17 at 00:00 UTC [state]"},
		{"the other CA has expired", node(cluster, strings.ReplaceAll(server, "2035", "2026")), "fail: the cluster's CA certificate expired on 2026-05-10 at 00:00 UTC [state]"},
	})
	for name, more := range map[string]string{"which is the cause": "", "beside the kubelet's own certificate": `,{"path":"c:\\k\\kubelet-client-current.pem","subject":"CN=system:node:n","issuer":"CN=x","notBefore":"2025-11-01T00:00:00Z","notAfter":"2026-11-18T00:00:00Z"}`} {
		want := "kubelet-client-ca-stale"
		if more != "" {
			want = "cert-expired-or-clock-skew"
		}
		causes := causesOf(t, node(expired, server+more)+said("kubelet", unknown), "kubelet-client-ca-stale", "cert-expired-or-clock-skew")
		if len(causes) == 0 || causes[0].ID != want {
			t.Errorf("%s: the causes are %+v, want %s first", name, causes, want)
		}
	}
}
