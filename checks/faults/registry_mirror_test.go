package faults_test

import "testing"

func TestRegistryMirrorUnusable(t *testing.T) {
	pull := func(image, asked string) string {
		return podEvent("Failed", `Failed to pull image \"`+image+`\": failed to do request: Head \"https://`+asked+`/v2/web/manifests/1\": dial tcp 150.171.70.10:443: i/o timeout`)
	}
	asked := func(host, time string) string {
		return "-- logs/containerd/containerd.log --\n" +
			`time="2026-11-20T` + time + `Z" level=info msg="trying next host - response was http.StatusNotFound" host="` + host + "\"\n"
	}
	const fault = "warn: mirror mirror.corp:8443 does not give an image, and the registry itself does not answer [state]"
	runLooks(t, "registry-mirror-unusable", []look{
		{"a mirror answers that it has none", pull("mcr.microsoft.com/web:1", "mcr.microsoft.com") + asked("mirror.corp:8443", "09:58:00"), fault},
		{"the image of Docker Hub without its registry", pull("web:1", "registry-1.docker.io") + asked("mirror.corp:8443", "09:58:00"), fault},
		{"the registry itself answers that it has none", pull("registry.corp/web:1", "registry.corp") + asked("registry.corp", "09:58:00"), "unknown"},
		{"Docker Hub itself", pull("docker.io/web:1", "registry-1.docker.io") + asked("registry-1.docker.io", "09:58:00"), "unknown"},
		{"the day before", pull("mcr.microsoft.com/web:1", "mcr.microsoft.com") + asked("mirror.corp:8443", "00:58:00"), "unknown"},
		{"no pull fails", podEvent("Pulled", "Successfully pulled image") + asked("mirror.corp:8443", "09:58:00"), "pass"},
	})
}
