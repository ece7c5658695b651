package redact_test

import (
	"fmt"

	"doctor/collectors/redact"
)

// A secret that was known by its surroundings is found afterwards without them.
func ExampleRedactor_Content() {
	r := redact.New(redact.Options{Key: []byte("the same for each run of this example")})
	for _, line := range []string{"password=tr0ub4dor-and-3", "logged on with tr0ub4dor-and-3"} {
		clean, err := r.Content([]byte(line), "logs/kubelet/kubelet.log")
		fmt.Println(string(clean), err)
	}
	fmt.Println(r.Seen(), "secret seen")
	// Output:
	// password=<secret:password:f794fb> <nil>
	// logged on with <secret:password:f794fb> <nil>
	// 1 secret seen
}
