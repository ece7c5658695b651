package finder_test

import (
	"fmt"

	"doctor/checks/evidence/finder"
)

func ExampleFinder_Each() {
	texts := []string{"access is denied", "element not found"} // in lower case
	log := []byte("HNS failed with error: Element not found.")
	finder.New(texts).Each(log, func(text, start, end int) {
		fmt.Printf("text %d: %q\n", text, log[start:end])
	})
	// Output: text 1: "Element not found"
}
