package evidence

import (
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// ParseQuantity reads a Kubernetes quantity of memory or storage: 2Gi, 500M,
// 1.5Gi, 1e9. Fractions of a byte are rounded up, as Kubernetes rounds them. A
// percentage is no quantity.
func ParseQuantity(s string) (int64, error) {
	s = strings.TrimSpace(s)
	shown := s[:min(len(s), 64)]
	if len(s) > len(shown) || !strings.ContainsAny(s, "0123456789") { // Gi alone is 0 to Kubernetes
		return 0, fmt.Errorf("%q is not a quantity such as 2Gi", shown)
	}
	q, err := resource.ParseQuantity(s)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a quantity such as 2Gi", shown)
	case q.CmpInt64(math.MaxInt64) >= 0, q.CmpInt64(-math.MaxInt64) <= 0: // which it is cut to
		return 0, fmt.Errorf("%s is more than a number of bytes can be", shown)
	}
	return q.Value(), nil
}

// SizeText writes a number of bytes the way a person says it.
func SizeText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
