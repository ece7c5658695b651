// Package screen plays sessions with the whole program on a terminal, on Linux and on Windows.
package screen
