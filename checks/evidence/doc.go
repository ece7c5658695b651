// Package evidence is what can be known about a Windows node, as plain data.
//
// A node is recorded as a tree of small files (layout evidence/v1): JSON for what an API returned,
// verbatim copies of configuration files and logs, and a gap, with its reason, for whatever could
// not be had. A list of which a part could be read has a gap for the rest (RestOf). Load makes a
// Snapshot of such a tree; a Kind reads one typed piece out of it. Nothing here reads a machine or
// a network, so a recording from years ago gives the same answers as a live node.
package evidence
