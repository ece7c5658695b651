//go:build !windows

package service

import (
	"context"
	"errors"
	"os"
)

var errNoServices = errors.New("this machine is not a Windows node; " +
	"let its service manager run `doctor watch --node NAME --bundle FOLDER`")

// Install needs Windows.
func Install(string, []string) error { return errNoServices }

// Uninstall needs Windows.
func Uninstall() error { return errNoServices }

// Run needs Windows.
func Run(func(ctx context.Context, out, messages *os.File) error) error { return errNoServices }
