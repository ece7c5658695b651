package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"doctor/fixtures"
)

func TestEveryDemoIsListedOnceBesideTheStart(t *testing.T) {
	groups, err := demoGroups(nil)
	if err != nil {
		t.Fatal(err)
	}
	var start, listed []string
	for i, g := range groups {
		for _, d := range g.demos {
			if d.sentence == "" {
				t.Errorf("%s: %q has no sentence", g.heading, d.name)
			}
			if i == 0 {
				start = append(start, d.name)
			} else {
				listed = append(listed, d.name)
			}
		}
	}
	names := slices.Sorted(slices.Values(fixtures.Names()))
	if diff := cmp.Diff(names, slices.Sorted(slices.Values(listed))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(instructive, start); diff != "" {
		t.Error(diff)
	}
}

func TestDemoWithoutAValueListsTheDemos(t *testing.T) {
	for _, row := range []struct {
		name       string
		args, want []string
	}{
		{"at the end", []string{"--demo"}, []string{"--demo=list"}},
		{"before another flag", []string{"--demo", "--lang", "zh"},
			[]string{"--demo=list", "--lang", "zh"}},
		{"with a name", []string{"--demo", "healthy-eks"}, []string{"--demo", "healthy-eks"}},
		{"with a name and a command", []string{"--demo", "healthy-eks", "bundle"},
			[]string{"--demo", "healthy-eks", "bundle"}},
		{"with an equals sign", []string{"--demo=healthy-eks"}, []string{"--demo=healthy-eks"}},
		{"after the end of flags", []string{"--", "--demo"}, []string{"--", "--demo"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, withDemoList(row.args)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
