package fleet

import "math"

// Fisher is the two-sided p of Fisher's exact test: how likely a table of these margins is that is
// no likelier than this one, if the trait had nothing to do with the cause. Of the nodes with the
// cause, with of withOf have the trait; of the others, others of othersOf.
func Fisher(with, withOf, others, othersOf int) float64 {
	have, all := with+others, withOf+othersOf
	if with < 0 || others < 0 || with > withOf || others > othersOf || all == 0 {
		return 1
	}
	margin := logChoose(all, have)
	likely := func(k int) float64 {
		return math.Exp(logChoose(withOf, k) + logChoose(othersOf, have-k) - margin)
	}
	// Equal in exact arithmetic differs in the last digits here.
	limit := likely(with) * (1 + 1e-7)
	p := 0.0
	for k := max(0, have-othersOf); k <= min(have, withOf); k++ {
		if l := likely(k); l <= limit {
			p += l
		}
	}
	return min(p, 1)
}

// logChoose is the logarithm of n over k.
func logChoose(n, k int) float64 {
	lg := func(n int) float64 {
		v, _ := math.Lgamma(float64(n) + 1)
		return v
	}
	return lg(n) - lg(k) - lg(n-k)
}
