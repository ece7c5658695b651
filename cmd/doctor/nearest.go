package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"doctor/checks/evidence"
)

// maxNear is how many names are suggested for one that is unknown.
const maxNear = 3

// nearest lists the known names that a mistyped one may stand for: those that begin with it, else
// those that the fewest letters tell apart, else those whose beginning does, else those that hold it.
func nearest(typed string, known []string) []string {
	near := nearestOf(typed, known, func(name string) string { return name })
	if len(near) == 0 && len(typed) >= minBeginning {
		near = nearestOf(typed, known, func(name string) string {
			return name[:min(len(name), len(typed)+1)]
		})
	}
	for _, name := range known {
		if len(near) < maxNear && len(typed) > 1 && name != "" && !slices.Contains(near, name) &&
			(strings.Contains(name, typed) || strings.Contains(typed, name)) {
			near = append(near, name)
		}
	}
	return near[:min(len(near), maxNear)]
}

// minBeginning is how many letters are compared with the beginning of a name; fewer fit too many.
const minBeginning = 6

// nearestOf lists the known names whose form is nearest to what was typed. cobra measures.
func nearestOf(typed string, known []string, form func(name string) string) []string {
	words, names := &cobra.Command{}, map[string][]string{}
	for _, name := range known {
		use := form(name)
		if use != "" && !strings.Contains(use, " ") { // cobra's names end at a space
			words.AddCommand(&cobra.Command{Use: use, Run: func(*cobra.Command, []string) {}})
			names[use] = append(names[use], name)
		}
	}
	for distance := 1; typed != "" && distance <= max(2, len(typed)/4); distance++ {
		words.SuggestionsMinimumDistance = distance
		var near []string
		for _, use := range words.SuggestionsFor(typed) {
			near = append(near, names[use]...)
		}
		if slices.Sort(near); len(near) > 0 {
			return slices.Compact(near)
		}
	}
	return nil
}

// didYouMean is the end of an error about an unknown name; "" where no known one is near.
func didYouMean(typed string, known []string) string {
	if near := nearest(typed, known); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// unknownName is the error for a name that is none of the known: the nearest, or else the hint.
func unknownName(what, typed string, known []string, hint string) error {
	text := didYouMean(typed, known)
	if text == "" {
		text = "; " + hint
	}
	return fmt.Errorf("there is no %s %q%s", what, evidence.Clean(typed), text)
}
