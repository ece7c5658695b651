// Package windows runs doctor.exe on staged Windows nodes, under Wine.
package windows
