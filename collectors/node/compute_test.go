package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"doctor/checks/evidence"
)

func TestComputeSystemsAsTheServiceListsThem(t *testing.T) {
	const two = `[
 {"Id":"5fef401a09d8c3d2a3593dcd5cef84cad440b4ca75eb4ce9a3d557038b90f0f2","SystemType":"Container","Owner":"containerd-shim-runhcs-v1.exe","RuntimeId":"6b5bcf6a-0b5c-5b7e-8f4e-6a6f0b1b8a11","State":"Running"},
 {"Id":"9C3F1A5E-4B9C-4D6C-9B6B-8B0C5E8C7A11","SystemType":"VirtualMachine","Owner":"CmService","State":"SavedAsTemplate"}]`
	got, err := parseComputeSystems(two)
	want := []evidence.ComputeSystem{
		{ID: "5fef401a09d8c3d2a3593dcd5cef84cad440b4ca75eb4ce9a3d557038b90f0f2", Type: "Container",
			State: "Running", Owner: "containerd-shim-runhcs-v1.exe"},
		{ID: "9C3F1A5E-4B9C-4D6C-9B6B-8B0C5E8C7A11", Type: "VirtualMachine",
			State: "SavedAsTemplate", Owner: "CmService"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if got, err := parseComputeSystems(""); err != nil || got == nil || len(got) != 0 {
		t.Errorf("no systems: %v, %v", got, err)
	}
	if _, err := parseComputeSystems("<html>"); err == nil {
		t.Error("a text that is no JSON is accepted")
	}
}
