// Package cluster stands in for collectors/cluster where a benchmark builds the
// program without client-go, to tell what that costs.
package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"doctor/checks/evidence"
	"doctor/collectors"
)

type Options struct {
	Kubeconfig string
	Context    struct{ Namespace string }
}

func (*Options) Flags(*pflag.FlagSet) []string { return nil }
func (Options) Given() bool                    { return false }
func (Options) Contexts() []string             { return nil }

type Client struct{}

type Target struct {
	Client   *Client
	Node     string
	Since    time.Duration
	LogBytes int64
}

type Find func(evidence.Snapshot) (Target, error)

type WindowsNode struct {
	Name, Ready, Kubelet, OS, Build, Runtime string
	Stuck                                    *int
}

type NoNodeError struct{ error }

const ClusterRole = ""

var (
	ErrNoKubeconfig = errors.New("built without a cluster")
	ErrNoContext    = errors.New("built without a cluster")
)

func Connect(Options) (*Client, error) {
	return nil, ErrNoKubeconfig
}
func Collectors(Find, []string, time.Duration) []collectors.Collector { return nil }
func (*Client) Host() string                                          { return "" }
func (*Client) NodeName() string                                      { return "" }
func (*Client) Check(context.Context, string) error                   { return ErrNoKubeconfig }
func (*Client) WindowsNodes(context.Context) (list []WindowsNode, unread, err error) {
	return nil, nil, ErrNoKubeconfig
}

func (*Client) RunningPods(context.Context, string) ([]string, error) { return nil, ErrNoKubeconfig }
