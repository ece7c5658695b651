package evidence

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

var quantitySuffixes = map[string]string{
	"n": "1/1000000000", "u": "1/1000000", "m": "1/1000", "": "1",
	"k": "1e3", "M": "1e6", "G": "1e9", "T": "1e12", "P": "1e15", "E": "1e18",
	"Ki": "1024", "Mi": "1048576", "Gi": "1073741824", "Ti": "1099511627776",
	"Pi": "1125899906842624", "Ei": "1152921504606846976",
}

// ParseQuantity reads a Kubernetes quantity of memory or storage: 2Gi, 500M,
// 1.5Gi, 1e9. Fractions of a byte are rounded up, as Kubernetes rounds them. A
// percentage is no quantity.
func ParseQuantity(s string) (int64, error) {
	s = strings.TrimSpace(s)
	digits := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+"), "0123456789.")
	number, suffix := s[:len(s)-len(digits)], digits
	value, ok := new(big.Rat).SetString(number)
	if len(s) > 64 || !ok {
		return 0, fmt.Errorf("%q is not a quantity such as 2Gi", s[:min(len(s), 64)])
	}
	factor, known := quantitySuffixes[suffix]
	if !known {
		exponent, err := strconv.Atoi(suffix[1:])
		if err != nil || suffix[0] != 'e' && suffix[0] != 'E' || exponent < -30 || exponent > 30 {
			return 0, fmt.Errorf("%q is not a quantity such as 2Gi", s)
		}
		factor = fmt.Sprintf("1e%d", exponent)
	}
	scale, _ := new(big.Rat).SetString(factor)
	value.Mul(value, scale)
	whole, rest := new(big.Int).QuoRem(value.Num(), value.Denom(), new(big.Int))
	whole.Add(whole, big.NewInt(int64(rest.Sign()))) // away from zero
	if !whole.IsInt64() || whole.Int64() == math.MinInt64 {
		return 0, fmt.Errorf("%s is more than a number of bytes can be", s)
	}
	return whole.Int64(), nil
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
