package faults_test

import (
	"strings"
	"testing"
)

// What programs of containers print before they exit.
func TestWhatContainersPrintBeforeTheyExit(t *testing.T) {
	pod := func(spec, image, state string) string {
		return strings.Replace(podsJSON(podJSON(spec, "", `{"phase":"Running","containerStatuses":[{"name":"c","restartCount":9,"state":{`+state+
			`},"lastState":{"terminated":{"exitCode":1,"reason":"Error","message":"MESSAGE"}}}]}`)), `"image":"i"`, `"image":"`+image+`"`, 1)
	}
	logged := func(lines ...string) string {
		text := "-- logs/pods/shop_web_c_8.log --\n"
		for _, line := range lines {
			text += "2026-11-20T09:50:00.000000000Z stdout F " + line + "\n"
		}
		return text
	}
	const (
		loop, up = `"waiting":{"reason":"CrashLoopBackOff"}`, `"running":{"startedAt":"2026-11-20T09:50:00Z"}`
		code     = "APPCMD failed with error code 4312"
		last     = "Failed to update IIS configuration"
		noIIS    = "fail: shop/web is not running: ServiceMonitor cannot configure IIS [state+text]"
		user     = `"securityContext":{"windowsOptions":{"runAsUserName":"ContainerUser"}}`
		admin    = `"securityContext":{"windowsOptions":{"runAsUserName":"ContainerAdministrator"}}`
		denied   = `Unhandled exception. System.UnauthorizedAccessException: Access to the path 'C:\data\gates.db' is denied.`
		noRight  = "warn: shop/web is not running: its user ContainerUser is denied access [state+text]"
	)
	runLooks(t, "iis-servicemonitor-failed", []look{
		{"in the log", pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop) + logged(code, last), noIIS},
		{"in the state of the container", strings.Replace(pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop), "MESSAGE", last, 1), noIIS},
		{"an error of appcmd after which ServiceMonitor goes on", pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop) + logged(code, "Service 'w3svc' started"), "pass"},
		{"a log of another pod", pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop) + strings.ReplaceAll(logged(code, last), "shop_web_", "shop_api_"),
			"info: the logs say: ServiceMonitor cannot configure IIS, and its container exits; the node's current state does not confirm it [text]"},
		{"a log of a pod whose name goes on", pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop) + strings.ReplaceAll(logged(code, last), "shop_web_", "shop_web-1_"),
			"info: the logs say: ServiceMonitor cannot configure IIS, and its container exits; the node's current state does not confirm it [text]"},
		{"the log of another pod alone", strings.Replace(pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop), "MESSAGE", "", 1) +
			strings.ReplaceAll(logged("ready"), "shop_web_", "shop_api_"), "unknown"},
		{"the container runs again", strings.Replace(pod(`"dnsPolicy":"ClusterFirst"`, "iis", up), `"name":"c",`, `"name":"c","ready":true,`, 1) + logged(code, last),
			"info: the logs say: ServiceMonitor cannot configure IIS, and its container exits; the node's current state does not confirm it [text]"},
		{"no log is recorded", strings.Replace(pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop), "MESSAGE", "", 1), "unknown"},
	})
	runLooks(t, "container-user-access-denied", []look{
		{"the user of the pod", pod(user, "app", loop) + logged(denied), noRight},
		{"in the state of the container", strings.Replace(pod(user, "app", loop), "MESSAGE", "Access is denied.", 1), noRight},
		{"an administrator", pod(admin, "nanoserver:ltsc2022", loop) + logged(denied), "pass"},
		{"an image whose user is not known", pod(`"dnsPolicy":"ClusterFirst"`, "app", loop) + logged(denied), "pass"},
		{"the container runs", strings.Replace(pod(user, "app", up), `"name":"c",`, `"name":"c","ready":true,`, 1) + logged(denied), "pass"},
		{"another container of the pod is down", strings.Replace(pod(user, "app", loop), `"containerStatuses":[{"name":"c",`, `"containerStatuses":[{"name":"d",`, 1) + logged(denied), "pass"},
		{"the log of another container", pod(user, "app", loop) + strings.ReplaceAll(logged(denied), "shop_web_c_", "shop_web_d_"), "pass"},
		{"the log of another pod alone", strings.Replace(pod(user, "app", loop), "MESSAGE", "", 1) +
			strings.ReplaceAll(logged("ready"), "shop_web_", "shop_api_"), "unknown"},
		{"another error", pod(user, "app", loop) + logged("connection refused"), "pass"},
		{"no log is recorded", strings.Replace(pod(user, "app", loop), "MESSAGE", "", 1), "unknown"},
	})
}

// TestGMSAWebhookRefuses: Azure/aks-engine 2025, in the words of windows-gmsa's admission-webhook/webhook.go.
func TestGMSAWebhookRefuses(t *testing.T) {
	refused := func(why string) string {
		return "-- logs/other/events.txt --\nWarning  FailedCreate  21s  replicaset-controller  Error creating: admission webhook \"admission-webhook.windows-gmsa.sigs.k8s.io\" denied the request: " + why + "\n"
	}
	runLooks(t, "gmsa-not-working", []look{
		{"a service account without the role", refused("service account \"default\" is not authorized to `use` GMSA cred spec \"webapp1\""),
			"fail: the gMSA webhook refuses the pod: its service account may not use the credential spec [text]"},
		{"no such credential spec", refused(`cred spec webapp1 does not exist`),
			"fail: the gMSA webhook refuses the pod: the credential spec that it names does not exist or has other content [text]"},
	})
}
