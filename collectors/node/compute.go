package node

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"doctor/checks/evidence"
)

// readCompute lists the compute systems. vmcompute is one of the services that Windows starts for
// whoever calls them, so it is asked only where it runs.
func readCompute(context.Context) (any, error) {
	state, err := serviceState("vmcompute")
	if err != nil {
		return nil, err
	}
	if state != "running" {
		return nil, fmt.Errorf("the service vmcompute is %s: start it to list compute systems", state)
	}
	answer, err := guard(enumerateComputeSystems)
	if err != nil {
		return nil, fmt.Errorf("the list of compute systems: %w", err)
	}
	systems, err := parseComputeSystems(answer)
	return evidence.Compute{Systems: systems}, err
}

// parseComputeSystems reads the answer of HcsEnumerateComputeSystems; no systems are an empty text.
func parseComputeSystems(answer string) ([]evidence.ComputeSystem, error) {
	var found []struct {
		ID         string `json:"Id"`
		SystemType string
		State      string
		Owner      string
	}
	if strings.TrimSpace(answer) != "" {
		if err := json.Unmarshal([]byte(answer), &found); err != nil {
			return nil, fmt.Errorf("the list of compute systems is no JSON: %w", err)
		}
	}
	list := make([]evidence.ComputeSystem, 0, len(found))
	for _, f := range found {
		list = append(list, evidence.ComputeSystem{ID: f.ID, Type: f.SystemType, State: f.State,
			Owner: f.Owner})
	}
	return bounded(list, "compute systems")
}
