package lang_test

import (
	"fmt"

	"doctor/checks"
	"doctor/checks/faults"
	"doctor/ui/lang"
)

func ExampleOf() {
	zh := lang.Of("zh", faults.Catalogue())
	fmt.Println(zh.Status(checks.StatusUnknown))
	english := lang.Of("fr", faults.Catalogue()) // a language that is not there, and so nil
	fmt.Println(english == nil, english.T("%d of %d", 3, 4))
	// Output:
	// 未知
	// true 3 of 4
}
