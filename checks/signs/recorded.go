package signs

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"doctor/checks/evidence"
)

// Digests tells the texts of each check apart from those of another version of it. The redactor knows
// by what they begin with that they are no secrets: some checks are called after a token.
func Digests(list []evidence.Sign) map[string]string {
	texts := map[string][]byte{}
	for _, s := range list {
		b := append(texts[s.Check], s.Text...)
		for _, more := range [][]string{s.Also, s.Not, s.In, s.Until} {
			b = append(b, 0)
			for _, m := range more {
				b = append(append(b, m...), 1)
			}
		}
		texts[s.Check] = append(b, 2)
	}
	digests := map[string]string{}
	for check, b := range texts {
		sum := sha256.Sum256(b)
		digests[check] = "sha256:" + hex.EncodeToString(sum[:4])
	}
	return digests
}

// recordedUnsearched are the logs of which whoever recorded them says that they
// were not searched to their end, and those that are here in part and were
// searched for other texts when they were whole.
func (c *scanner) recordedUnsearched(s evidence.Snapshot) []evidence.UnsearchedLog {
	index := evidence.LogRecords.In(s)
	now := Digests(c.list[:c.wanted]) // without the ends, which follow from the signs
	other := false
	for check, digest := range now {
		other = other || index.SearchedFor[check] != digest
	}
	var list []evidence.UnsearchedLog
	for _, r := range index.Logs {
		switch path := evidence.Clean(r.Path); {
		case slices.ContainsFunc(list, func(u evidence.UnsearchedLog) bool {
			return u.Path == path
		}):
		case r.Unsearched != "":
			list = append(list, evidence.UnsearchedLog{Path: path,
				Why: evidence.Clean(r.Unsearched)})
		case (r.LeftOutLines > 0 || r.LeftOutBytes > 0) && other:
			list = append(list, evidence.UnsearchedLog{Path: path,
				Why: "it is here in part, and whoever had all of it searched it for other texts"})
		}
	}
	return list
}
