// Package maskname replaces what tells whose a node is: host and user names,
// SIDs, MAC addresses and public IP addresses. A value has one mask all over a
// bundle, and masks keep what a diagnosis goes by: case, shape and length of a
// name, the vendor of a network card, the subnet of an address.
//
// Private addresses stay, and so do names of things that run in the cluster:
// pods, Services, namespaces, images.
package maskname

import (
	"crypto/hmac"
	"crypto/sha256"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	"doctor/checks/evidence"
)

type kind uint8

const (
	host kind = iota
	user
	sid
	mac
	ip
	kinds
)

var kindNames = [kinds]string{"host", "user", "sid", "mac", "ip"}

// Names masks the names of one bundle. It is safe for concurrent use; what is
// learnt holds for the text that comes after.
type Names struct {
	key   []byte
	table atomic.Pointer[table]

	learning sync.Mutex // held while a table is made
	unmasked map[string]string

	labels memo[string]
	heads  memo[string] // of the labels that NetBIOS cuts
	sids   memo[string]
	macs   memo[[6]byte]
	ips    memo[netip.Addr]

	counts [kinds]atomic.Int64
}

// New returns a mask that gives the same names to the same values under the same key.
func New(key []byte) *Names {
	n := &Names{key: slices.Clone(key), unmasked: map[string]string{}}
	n.table.Store(newTable(nil))
	return n
}

// Learn takes the host and user names that the evidence states, for they look
// like any other word in a log.
func (n *Names) Learn(s evidence.Snapshot) {
	s = s.WithParts(evidence.Pods, evidence.Services, evidence.Processes, evidence.Adapters,
		evidence.HNSEndpoints, evidence.HNSNetworks)
	l := learner{}
	l.read(s)
	n.learn(l)
	for _, path := range []string{"adapters.json", "hns-endpoints.json", "hns-networks.json"} {
		// A MAC address that stands there with separators is known bare, too.
		n.learnMACs(s, path)
	}
}

// Counts says how many places were masked, by kind: host, user, sid, mac, ip.
func (n *Names) Counts() map[string]int {
	counts := map[string]int{}
	for k, name := range kindNames {
		if c := n.counts[k].Load(); c > 0 {
			counts[name] = int(c)
		}
	}
	return counts
}

// Unmasked lists the names that the evidence states and that stay readable,
// each with the reason.
func (n *Names) Unmasked() []string {
	n.learning.Lock()
	defer n.learning.Unlock()
	var list []string
	for _, name := range slices.Sorted(maps.Keys(n.unmasked)) {
		list = append(list, name+": "+n.unmasked[name])
	}
	return list
}

// digest is what every choice of a mask rests on: without the key, nobody can
// make it for a guess and compare.
func (n *Names) digest(domain string, data []byte) [sha256.Size]byte {
	h := hmac.New(sha256.New, n.key)
	h.Write([]byte(domain))
	h.Write([]byte{0})
	h.Write(data)
	return [sha256.Size]byte(h.Sum(nil))
}

// maxMemo bounds what is remembered of hostile text. Past it a value still has
// its one mask, which is worked out each time and no longer told from a value.
const maxMemo = 1 << 17

// A memo remembers masks. A mask stands for itself, so that text which is
// masked twice reads as if it had been masked once.
type memo[K comparable] struct {
	mu    sync.RWMutex
	masks map[K]K
}

// get returns the mask of a value; make is asked once for each.
func (m *memo[K]) get(value K, make func(value K, taken func(K) bool) K) K {
	if mask, ok := m.lookup(value); ok {
		return mask
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if mask, ok := m.masks[value]; ok {
		return mask
	}
	mask := make(value, func(k K) bool { _, ok := m.masks[k]; return ok })
	m.put(value, mask)
	if _, ok := m.masks[mask]; !ok {
		m.put(mask, mask)
	}
	return mask
}

func (m *memo[K]) lookup(value K) (mask K, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	mask, ok = m.masks[value]
	return mask, ok
}

// keep makes a value stand for itself.
func (m *memo[K]) keep(value K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.masks[value]; !ok {
		m.put(value, value)
	}
}

func (m *memo[K]) put(value, mask K) {
	if m.masks == nil {
		m.masks = map[K]K{}
	}
	if len(m.masks) < maxMemo {
		m.masks[value] = mask
	}
}
