// Package hostile holds what a broken or malicious sender may send to the whole program: it comes to an end,
// in bounded memory, with a report or a clear error.
package hostile
