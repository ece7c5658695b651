// Package cluster reads a node as the Kubernetes API sees it: its Node object,
// its pods and their events, the services that should work on it, and, through
// the kubelet, its logs. Secrets are never asked for.
//
// Objects are kept as the server wrote them, so there are no typed clients
// here: client-go brings the kubeconfig, the credentials and the transport, and
// a request is a path.
package cluster

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// Options say which cluster, and as whom.
type Options struct {
	Kubeconfig string // a path; empty for kubectl's own search
	Context    string // empty for the kubeconfig's current one
}

// A Client asks one API server.
type Client struct {
	rest     rest.Interface
	host     string
	nodeName string
	requests atomic.Int64

	nodeMu     sync.Mutex
	nodeObject json.RawMessage
	nodeErr    error
}

// Host is the server's URL.
func (c *Client) Host() string { return c.host }

// Requests is how many requests were sent.
func (c *Client) Requests() int { return int(c.requests.Load()) }

// ErrNoKubeconfig means that there is no cluster to ask.
var ErrNoKubeconfig = errors.New("there is no kubeconfig; name one with --kubeconfig, or set KUBECONFIG")

// Connect reads the kubeconfig. It sends nothing.
func Connect(o Options) (*Client, error) {
	klog.SetLogger(logr.Discard()) // what client-go says on its own account would cross the screen
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: o.Context}).ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, ErrNoKubeconfig
	case err != nil:
		return nil, fmt.Errorf("the kubeconfig: %w", err)
	}
	return connect(config)
}

func connect(config *rest.Config) (*Client, error) {
	c := &Client{host: config.Host, nodeName: nodeNameOf(config)}
	config = rest.CopyConfig(config)
	config.NegotiatedSerializer = serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion()
	config.UserAgent = "doctor"
	config.WarningHandler = rest.NoWarnings{}
	config.QPS, config.Burst = 50, 50 // twenty requests at once; the server has its own limits
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig: %w", err)
	}
	c.rest = client
	return c, nil
}

// maxAnswer bounds one answer of the server.
const maxAnswer = 96 << 20

// open sends one GET. verb and what are for the error: "list", "pods".
func (c *Client) open(ctx context.Context, path string, query url.Values, verb, what string) (io.ReadCloser, error) {
	c.requests.Add(1)
	r := c.rest.Get().AbsPath(path).SetHeader("Accept", "application/json")
	for key, values := range query {
		for _, v := range values {
			r.Param(key, v)
		}
	}
	r.MaxRetries(maxRetries)
	body, err := r.Stream(ctx)
	if err != nil {
		return nil, explain(ctx, err, c.host, verb, what)
	}
	return body, nil
}

// maxRetries is how often a server that says "too many requests" is asked again.
const maxRetries = 2

// errTooLarge is an answer beyond maxAnswer.
var errTooLarge = fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)

// bounded turns the end of a too large answer into an error, where a plain
// LimitReader would make it look complete.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}

// NodeName is the node as which the kubeconfig's client certificate speaks, or
// "" where it is nobody's or there is none.
func (c *Client) NodeName() string { return c.nodeName }

// nodeNameOf reads the name that the API server knows a kubelet by.
func nodeNameOf(config *rest.Config) string {
	content := config.CertData
	if len(content) == 0 && config.CertFile != "" {
		content, _ = os.ReadFile(config.CertFile) // without it no request will work, and that is told
	}
	for {
		var block *pem.Block
		if block, content = pem.Decode(content); block == nil {
			return ""
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return ""
		}
		name, _ := strings.CutPrefix(cert.Subject.CommonName, nodeUser)
		if name == cert.Subject.CommonName {
			return ""
		}
		return name
	}
}

const nodeUser = "system:node:"
