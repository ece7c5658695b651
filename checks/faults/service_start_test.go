package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

// startEvent is one of the service manager, minutes before now.
func startEvent(id, minutes int, message string) string {
	return fmt.Sprintf(`{"provider":"Service Control Manager","id":%d,"level":"error","time":"2026-11-20T09:%02d:00Z","message":%q}`,
		id, 60-minutes, message)
}

func startEvents(list ...string) string {
	all := ""
	for i, e := range list {
		if i > 0 {
			all += ","
		}
		all += e
	}
	return "-- events.json --\n[" + all + "]\n"
}

func serviceJSON(fields string) string {
	return "-- services.json --\n[{\"name\":\"kubelet\",\"startType\":\"automatic\"," + fields + "}]\n"
}

func TestServiceStartTimeout(t *testing.T) {
	const (
		late   = "fail: service kubelet does not answer the service manager within 30 seconds of its start [state]"
		german = "Das Zeitlimit (30000 ms) wurde beim Verbindungsversuch mit dem Dienst kubelet erreicht."
		exe    = `"binPath":"C:\\k\\kubelet.exe",`
	)
	runLooks(t, "service-start-timeout", []look{
		{"the event in German", startEvents(startEvent(7009, 10, german)), late},
		{"the service runs now", startEvents(startEvent(7009, 10, german)) +
			serviceJSON(`"state":"running"`), "pass"},
		{"the service changed its state since", startEvents(startEvent(7009, 10, german),
			startEvent(7036, 5, "Dienst kubelet befindet sich jetzt im Status Ausgeführt.")), "pass"},
		{"the event of another service", startEvents(startEvent(7009, 10,
			"A timeout was reached (30000 milliseconds) while waiting for the kubelet-monitor service to connect.")), "pass"},
		{"the exit code alone", serviceJSON(`"state":"stopped","exitCode":1053`), late},
		{"another exit code", serviceJSON(`"state":"stopped","exitCode":1067`), "pass"},
		{"the program was not told to be a service",
			serviceJSON(`"state":"stopped","exitCode":1053,` + exe + `"args":["--v=2"]`),
			"fail: service kubelet does not answer the service manager: its command line has no --windows-service [state]"},
		{"the program was told to be a service",
			serviceJSON(`"state":"stopped","exitCode":1053,` + exe + `"args":["--windows-service","--v=2"]`), late},
		{"one dash and a value", serviceJSON(`"state":"stopped","exitCode":1053,` + exe + `"args":["-windows-service=true"]`), late},
		{"the switch is off", serviceJSON(`"state":"stopped","exitCode":1053,` + exe + `"args":["--windows-service=false"]`),
			"fail: service kubelet does not answer the service manager: its command line has no --windows-service [state]"},
		{"nssm wraps the program",
			serviceJSON(`"state":"stopped","exitCode":1053,"wrapper":"nssm",` + exe + `"args":["--v=2"]`), late},
		{"the service is disabled", serviceJSON(`"state":"stopped","exitCode":1053,"startType":"disabled"`), "pass"},
		{"Docker that was left behind on a node of containerd", nodeOf("v1.28.3", "containerd://1.7.2") +
			startEvents(startEvent(7009, 10, "A timeout was reached (30000 milliseconds) while waiting for the Docker service to connect.")), "pass"},
		{"Docker that the node uses", nodeOf("v1.19.3", "docker://19.3.14") +
			startEvents(startEvent(7009, 10, "A timeout was reached (30000 milliseconds) while waiting for the Docker service to connect.")),
			"fail: service docker does not answer the service manager within 30 seconds of its start [state]"},
		{"a kubelet that another service runs", startEvents(startEvent(7009, 10, german)) +
			"-- processes.json --\n[{\"name\":\"kubelet.exe\",\"pid\":77}]\n", "pass"},
		{"what sc.exe prints", "-- logs/other/start.log --\n[SC] StartService FAILED 1053:\n",
			"fail: a service that sc.exe starts does not answer the service manager (error 1053) [text]"},
	})
}

func TestServiceLogonFailed(t *testing.T) {
	const denied = "fail: the service kubelet cannot log on with its account [state]"
	french := "Le service kubelet n'a pas pu se connecter en tant que CORP\\svc avec le mot de passe actuel en raison de l'erreur suivante : Le nom d'utilisateur ou le mot de passe est incorrect."
	runLooks(t, "service-logon-failed", []look{
		{"the event in French", startEvents(startEvent(7038, 10, french)), denied},
		{"the exit code alone", serviceJSON(`"state":"stopped","exitCode":1069`), denied},
		{"the event before it is lost", startEvents(startEvent(7000, 10, "kubelet %%1069")), denied},
		{"the service runs now", startEvents(startEvent(7038, 10, french)) + serviceJSON(`"state":"running"`), "pass"},
		{"what sc.exe prints", "-- logs/other/start.log --\n[SC] StartService FAILED 1069:\n",
			"fail: a service that sc.exe starts cannot log on with its account (error 1069) [text]"},
		{"the account lost the right", startEvents(startEvent(7041, 10, french)), denied},
		{"a log says it", "-- logs/other/notes.log --\nThe kubelet service was unable to log on as CORP\\svc with the currently configured password\n",
			"fail: a service of a node component cannot log on with its account [text]"},
	})
}

func TestServiceProgramMissing(t *testing.T) {
	const missing = "fail: the program of the service kubelet is missing [state]"
	runLooks(t, "service-program-missing", []look{
		{"the event in German", startEvents(startEvent(7000, 10,
			"Der Dienst \"kubelet\" wurde aufgrund folgenden Fehlers nicht gestartet: Das System kann die angegebene Datei nicht finden.")), missing},
		{"the event without its texts", startEvents(startEvent(7000, 10, "kubelet %%2")), missing},
		{"its folder is missing, too", startEvents(startEvent(7000, 10, "kubelet %%3")), missing},
		{"in a language that nobody knows, with the service's exit code", startEvents(startEvent(7000, 10, "kubelet ei käynnisty")) +
			serviceJSON(`"state":"stopped","exitCode":2`), missing},
		{"the event for another reason", startEvents(startEvent(7000, 10, "kubelet %%1053")), "pass"},
		{"what sc.exe prints", "-- logs/other/start.log --\n[SC] StartService FAILED 2:\n",
			"fail: the program of a service that sc.exe starts is missing (error 2) [text]"},
		{"an exit code that the program itself may have", serviceJSON(`"state":"stopped","exitCode":2`) +
			startEvents(startEvent(7036, 10, "The kubelet service entered the stopped state.")), "pass"},
	})
}

func TestHNSEndedInAnyLanguage(t *testing.T) {
	hns := func(state string) string {
		return "-- services.json --\n[{\"name\":\"hns\",\"displayName\":\"Hostnetzwerkdienst\",\"startType\":\"manual\",\"state\":\"" + state + "\"}]\n"
	}
	const (
		german  = `Der Dienst "Hostnetzwerkdienst" wurde mit folgendem Fehler beendet: %%1068`
		depends = `Der Dienst "Hostnetzwerkdienst" ist vom Dienst "vfpext" abhängig, der aufgrund folgenden Fehlers nicht gestartet wurde: %%2`
	)
	without := func(name, state string) string {
		return strings.Replace(hns("running"), "]", `,{"name":"`+name+`","startType":"disabled","state":"`+state+`"}]`, 1)
	}
	const refused = "-- logs/kubelet/kubelet.log --\nE1120 09:55:00.1 1 cni.go:366] hcnCreateEndpoint failed in Win32: There are no more endpoints available from the endpoint mapper. (0x6d9)\n"
	const unanswered = "-- logs/kubelet/kubelet.log --\nE1120 09:55:00.1 1 cni.go:366] hcnListNetworks failed in Win32: The RPC server is unavailable. (0x6ba)\n"
	// https://github.com/prometheus-community/windows_exporter/issues/2105
	const noRule = "-- logs/pods/monitoring_exporter-x_configure-firewall_3.log --\n2026-11-20T09:55:00.1Z stderr F New-NetFirewallRule : There are no more endpoints available from the endpoint \n"
	runLooks(t, "hns-service-not-running", []look{
		{"it ended with an error", hns("stopped") + startEvents(startEvent(7023, 10, german)), "fail: HNS ended with an error [state]"},
		{"a service that it needs does not start", hns("stopped") + startEvents(startEvent(7001, 10, depends)),
			"fail: a service that HNS depends on does not start [state]"},
		{"it runs now", hns("running") + startEvents(startEvent(7023, 10, german)), "pass"},
		{"it runs without the firewall, and refuses calls", without("mpssvc", "stopped") + refused,
			"fail: service mpssvc, which HNS needs, is stopped (start type disabled): HNS refuses calls [state+text]"},
		{"it runs without the firewall, and nothing fails", without("mpssvc", "stopped"), "pass"},
		{"it runs with the firewall, and refuses calls", without("mpssvc", "running") + refused,
			"warn: the logs say: HNS, or a service that it needs, is not running; the node's state does not show it [text]"},
		{"a program cannot add a rule to the firewall", without("mpssvc", "stopped") + noRule,
			"fail: service mpssvc, which HNS and the firewall need, is stopped (start type disabled): programs cannot add firewall rules [state+text]"},
		{"a rule is refused, and the firewall runs", without("mpssvc", "running") + noRule, "pass"},
		{"it is stopped, and no call fails", hns("stopped"), "pass"},
		{"it is stopped, and calls fail", hns("stopped") + unanswered,
			"fail: service hns is stopped, and calls to it fail [state+text]"},
		{"it runs again after calls that failed", hns("running") + unanswered, "pass"},
		{"it crashed, which another check reports", hns("stopped") + unanswered + startEvents(startEvent(7034, 10,
			"The Host Network Service service terminated unexpectedly.")), "pass"},
		{"another service ended", hns("stopped") + startEvents(startEvent(7023, 10,
			`Der Dienst "Spooler" wurde mit folgendem Fehler beendet: %%1068`)), "pass"},
	})
}
