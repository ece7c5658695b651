package node

import "golang.org/x/sys/windows"

// Elevated tells whether the program runs with administrator rights.
func Elevated() (elevated, known bool) {
	return windows.GetCurrentProcessToken().IsElevated(), true
}
