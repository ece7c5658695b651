package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

// Containers that webhooks inject, and that their names do not tell: cert-injection-webhook issue 6,
// akv2k8s issue 148; the annotations as Istio and Kyverno write them.
func TestContainerInjectedByWebhook(t *testing.T) {
	const owned = `"ownerReferences":[{"kind":"DaemonSet","name":"web"}]`
	pod := func(name, meta, spec string) string {
		return "-- api/pods.json --\n" + `{"items":[{"metadata":{"name":"p","namespace":"d",` + meta + `},"spec":{` + spec + `,"initContainers":[{"name":"` + name +
			`","image":"x.example/i:1"}],"containers":[{"name":"web","image":"x.example/web:1"}]},"status":{"phase":"Pending",` +
			`"initContainerStatuses":[{"name":"` + name + `","image":"x.example/i:1","state":{"waiting":{"reason":"ImagePullBackOff"}}}],` +
			`"containerStatuses":[{"name":"web","image":"x.example/web:1","state":{"waiting":{"reason":"PodInitializing"}}}]}}]}` + "\n"
	}
	const windows = `"nodeSelector":{"kubernetes.io/os":"windows"}`
	template := func(init string) string {
		return "-- api/daemonsets.json --\n" + `{"items":[{"metadata":{"name":"web","namespace":"d"},"spec":{"template":{"spec":{"initContainers":[` + init +
			`],"containers":[{"name":"web"}]}}}}]}` + "\n"
	}
	const says = "fail: d/p cannot start: container %s is not of its own template (%s), and its image x.example/i:1 has no variant for this node [state]"
	for _, form := range []string{"core", "events.k8s.io"} {
		refused := func(text string) string {
			about, message := "involvedObject", "message"
			if form != "core" {
				about, message = "regarding", "note"
			}
			return "-- api/events.json --\n" + `{"items":[{"metadata":{"namespace":"d"},"reason":"Failed","type":"Warning","` + about +
				`":{"kind":"Pod","namespace":"d","name":"p","fieldPath":"spec.initContainers{i}"},"` + message + `":"Failed to pull image \"x.example/i:1\": ` + text + `"}]}` + "\n"
		}
		none := refused("rpc error: code = NotFound desc = failed to pull and unpack image: no match for platform in manifest: not found")
		pull := strings.NewReplacer("{i}", "{setup-ca-certs}").Replace(none)
		mutated := func(patches string) string {
			return pod("i", `"annotations":{"policies.kyverno.io/last-applied-patches":"`+patches+`"}`, windows) + none
		}
		runLooks(t, "linux-sidecar-injected", []look{
			{"a known webhook, " + form, pod("setup-ca-certs", `"uid":"1"`, windows) + pull, fmt.Sprintf(says, "setup-ca-certs", "cert-injection-webhook")},
			{"it is pulled yet, " + form, pod("setup-ca-certs", `"uid":"1"`, windows), "pass"},
			{"no access to its registry, " + form, pod("setup-ca-certs", `"uid":"1"`, windows) + refused("401 Unauthorized"), "pass"},
			{"the pod is for Linux, " + form, pod("setup-ca-certs", `"uid":"1"`, strings.Replace(windows, "windows", "linux", 1)) + pull, "pass"},
			{"the pod is for any system, " + form, pod("setup-ca-certs", `"uid":"1"`, `"nodeSelector":{}`) + pull, "pass"},
			{"not in the template, " + form, pod("i", owned, windows) + template("") + none, fmt.Sprintf(says, "i", "a webhook")},
			{"in the template, " + form, pod("i", owned, windows) + template(`{"name":"i"}`) + none, "pass"},
			{"the template is not recorded, " + form, pod("i", owned, windows) + none, "pass"},
			{"Istio names it, " + form, pod("i", `"annotations":{"sidecar.istio.io/status":"{\"initContainers\":[\"i\"]}"}`, windows) + none,
				fmt.Sprintf(says, "i", "sidecar.istio.io/status")},
			{"Kyverno added it, " + form, mutated(`add-i.inject.kyverno.io: added /spec/initContainers/0\n`),
				fmt.Sprintf(says, "i", "policies.kyverno.io/last-applied-patches")},
			{"Kyverno added a variable to it, " + form, mutated(`env.inject.kyverno.io: added /spec/initContainers/0/env\n`), "pass"},
		})
		runLooks(t, "app-image-os-version-mismatch", []look{
			{"the event is about the init container alone, " + form, pod("i", `"uid":"1"`, windows) + "-- os.json --\n{\"build\":20348,\"ubr\":2700}\n" + none,
				"fail: container i of d/p cannot run on 10.0.20348.2700: image x.example/i:1: no match for platform in manifest [state]"},
		})
	}
}

func TestLinuxSidecarInjected(t *testing.T) {
	pod := func(images ...string) string {
		containers, states := "", ""
		for i, image := range images {
			name := []string{"web", "linkerd-proxy"}[i]
			if len(images) == 1 {
				name = "istio-proxy"
			}
			containers += `,{"name":"` + name + `","image":"` + image + `"}`
			states += `,{"name":"` + name + `","image":"` + image + `","state":{"waiting":{"reason":"ImagePullBackOff"}}}`
		}
		return "-- api/pods.json --\n" + `{"items":[{"metadata":{"name":"p","namespace":"d"},"spec":{"nodeName":"win-1","containers":[` +
			containers[1:] + `]},"status":{"phase":"Pending","containerStatuses":[` + states[1:] + "]}}]}\n"
	}
	runLooks(t, "linux-sidecar-injected", []look{
		{"a proxy beside an application", pod("shop.example/web:1", "cr.l5d.io/linkerd/proxy:2.14"),
			"fail: d/p cannot start: Linkerd injected container linkerd-proxy, which runs on Linux only [state]"},
		{"the mesh's own pod", pod("cr.l5d.io/linkerd/controller:2.14", "cr.l5d.io/linkerd/proxy:2.14"), "pass"},
		{"ztunnel, whose only container has the name of the proxy", pod("istio/ztunnel:1.19.0"), "pass"},
	})
}

// Dapr's sidecar stands beside the program, which runs: Azure/AKS issue 5900.
func TestSidecarBesideAProgramThatRuns(t *testing.T) {
	pod := func(state string) string {
		return "-- api/pods.json --\n" + `{"items":[{"metadata":{"name":"p","namespace":"d"},"spec":{"nodeSelector":{"kubernetes.io/os":"windows"},"containers":[{"name":"web","image":"x.example/web:1"},{"name":"daprd","image":"y.example/daprd:1"}]},` +
			`"status":{"phase":"Running","containerStatuses":[{"name":"web","image":"x.example/web:1","ready":true,"state":{"running":{}}},{"name":"daprd","image":"y.example/daprd:1","state":{` + state + `}}]}}]}` + "\n"
	}
	const refused = `"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"y.example/daprd:1\": ErrImagePull: no match for platform in manifest: not found"}`
	runLooks(t, "linux-sidecar-injected", []look{
		{"its image is refused", pod(refused),
			"fail: d/p cannot start: container daprd is not of its own template (Dapr), and its image y.example/daprd:1 has no variant for this node [state]"},
		{"it runs", pod(`"running":{}`), "pass"},
	})
}

// Tekton makes all init containers of the pod of a TaskRun: tektoncd/pipeline issues 4473, 4457 and 5998.
func TestInitContainerOfTekton(t *testing.T) {
	pod := func(owner, init, step string) string {
		state := func(image string) string {
			if image == "ok" {
				return `{"terminated":{"exitCode":0,"reason":"Completed"}}`
			}
			return `{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"` + image + `\": ErrImagePull: no match for platform in manifest: not found"}}`
		}
		return "-- os.json --\n{\"build\":20348,\"ubr\":2700}\n-- api/pods.json --\n" + `{"items":[{"metadata":{"name":"p","namespace":"d","ownerReferences":[{"kind":"` + owner + `","name":"t"}]},"spec":{"nodeSelector":{"kubernetes.io/os":"windows"},` +
			`"initContainers":[{"name":"prepare","image":"` + init + `"}],"containers":[{"name":"step-build","image":"` + step + `"}]},"status":{"phase":"Pending",` +
			`"initContainerStatuses":[{"name":"prepare","image":"` + init + `","state":` + state(init) + `}],"containerStatuses":[{"name":"step-build","image":"` + step + `","state":` + state(step) + `}]}}]}` + "\n"
	}
	const entrypoint, build = "gcr.io/tekton-releases/entrypoint:v0.42.0", "shop.example/build:3"
	runLooks(t, "linux-sidecar-injected", []look{
		{"its image is refused", pod("TaskRun", entrypoint, "ok"),
			"fail: d/p cannot start: container prepare is not of its own template (Tekton), and its image " + entrypoint + " has no variant for this node [state]"},
		{"the image of a step is refused", pod("TaskRun", "ok", build), "pass"},
		{"the author's own init container", pod("Job", entrypoint, "ok"), "pass"},
	})
	// no tag of an image for Linux is for Windows, and kubectl set image does not know a TaskRun
	const tag, other = "Use an image tag for this node's Windows version (ltsc2022).", "Use another image in container step-build: this one is published for Linux only, and no tag of it is for Windows."
	for image, want := range map[string]string{"shop.example/build:3": tag, "mcr.microsoft.com/dotnet/sdk:8.0": tag, "mcr.microsoft.com/windows/nanoserver:1809": tag,
		"gcr.io/distroless/base@sha256:aa4fd987555ea10e": other, "shop.example/web:4-alpine": other} {
		r := lookAt(t, "app-image-os-version-mismatch", pod("TaskRun", "ok", image))
		if len(r.Findings) != 1 || r.Fix.Steps[0].Text != want || r.Fix.Steps[0].Command != "" {
			t.Errorf("%s: %+v, fix %+v", image, r.Findings, r.Fix.Steps[0])
		}
	}
}
