//go:build !windows

package node

import "errors"

func listAdapters() ([]adapterRow, error) { return nil, errors.ErrUnsupported }

func listInterfaces() ([]adapterRow, error) { return nil, errors.ErrUnsupported }

func listForwarding() (map[uint64]bool, error) { return nil, errors.ErrUnsupported }

func listRoutes() ([]routeRow, error) { return nil, errors.ErrUnsupported }
