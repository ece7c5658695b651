// Package network has the whole program send its packets through a network that loses them.
package network
