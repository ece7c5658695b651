package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"doctor/checks/evidence"
)

// maxNear is how many names are suggested for one that is unknown.
const maxNear = 3

// nearest lists the known names that a mistyped one may stand for: those that begin with it, else
// those that the fewest letters tell apart, else those that hold it. cobra measures.
func nearest(typed string, known []string) []string {
	words := &cobra.Command{}
	for _, name := range known {
		if name != "" && !strings.Contains(name, " ") { // cobra's names end at a space
			words.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
		}
	}
	for distance := 1; typed != "" && distance <= max(2, len(typed)/4); distance++ {
		words.SuggestionsMinimumDistance = distance
		if near := words.SuggestionsFor(typed); len(near) > 0 {
			return near[:min(len(near), maxNear)]
		}
	}
	var near []string
	for _, name := range known {
		if len(typed) > 1 && name != "" && len(near) < maxNear && (strings.Contains(name, typed) ||
			strings.Contains(typed, name)) {
			near = append(near, name)
		}
	}
	return near
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
