// Package service makes doctor watch a Windows service, and runs it as one. It is the only part of
// the program that configures something on a node, and does so when the user asks for it by name.
package service

// Name is that of the service, and of the source of its events.
const Name = "doctor-watch"
