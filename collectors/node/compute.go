package node

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// readCompute lists the compute systems. vmcompute is one of the services that Windows starts for
// whoever calls them, so it is asked only where it runs.
func readCompute(_ context.Context, r *collectors.Record) error {
	state, err := serviceState("vmcompute")
	if err != nil {
		return err
	}
	if state != "running" {
		return fmt.Errorf("the service vmcompute is %s: start it to list compute systems", state)
	}
	answer, err := guard(enumerateComputeSystems)
	if err != nil {
		return fmt.Errorf("the list of compute systems: %w", err)
	}
	systems, err := parseComputeSystems(answer)
	if err != nil {
		return err
	}
	r.JSON(evidence.ComputeInfo.Path(), evidence.Compute{Systems: systems})
	return nil
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
