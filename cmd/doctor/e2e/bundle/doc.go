// Package bundle holds the whole program to what it promises of a bundle: no secret gets into it, and none
// is left half written.
package bundle
