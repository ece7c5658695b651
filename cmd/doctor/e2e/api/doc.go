// Package api has the whole program read nodes through a real Kubernetes API server.
package api
