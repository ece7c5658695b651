// Package cluster reads a node as the Kubernetes API sees it: its Node object,
// its pods and their events, the services that should work on it, and, through
// the kubelet, its logs. Secrets are never asked for.
//
// Objects are kept as the server wrote them, so there are no typed clients here: client-go brings
// the kubeconfig, the credentials and the transport, and a request is a path.
//
// What is read beyond the node and its pods decides a fault that a check knows:
//
//   - the lease: how far the node's clock is from the API server's. No other object dates itself by both.
//   - events of controllers that could not create a pod: Pod Security admission and quotas. The labels of
//     namespaces and the ResourceQuotas show that a pod may be refused, the event that one was.
//   - the kubelet's metrics: the node whose kubelet answers, for its logs.
//
// Not read, because no fault depends on it: the kubelet's /configz (the defaults are filled in, so what
// was set does not show, and a running kubelet has accepted it; system-reserved-too-low alone could use
// it), /stats/summary (the node's conditions are made of it), PodDisruptionBudgets (they hold up a drain,
// which no check is about), ConfigMaps of the Windows Machine Config Operator (its versions are
// annotations of the node), CSINode, RuntimeClasses and the configuration of CoreDNS.
package cluster

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"doctor/checks/evidence"
)

// A Client asks one API server.
type Client struct {
	rest     rest.Interface
	config   *rest.Config          // for what is no request and answer
	context  string                // the namespace of the kubeconfig's context, or of --namespace
	nodeName string                // of the kubeconfig's client certificate
	until    time.Time             // when that ends; zero where there is none
	noLogin  atomic.Pointer[error] // why there are no credentials

	nodeMu     sync.Mutex
	nodeObject json.RawMessage
	nodeErr    error
	nodeTaken  bool // by a reading
}

// Host is the server's URL.
func (c *Client) Host() string { return c.config.Host }

// ErrNoKubeconfig means that there is no cluster to ask.
var ErrNoKubeconfig = errors.New(
	"there is no kubeconfig; name one with --kubeconfig, or set KUBECONFIG")

// silenceClientGo keeps what client-go says on its own account from crossing the screen. Its logger
// is one for the whole program, and goroutines of earlier clients may still be using it.
var silenceClientGo = sync.OnceFunc(func() { klog.SetLogger(logr.Discard()) })

// Connect reads the kubeconfig. It sends nothing.
func Connect(o Options) (*Client, error) {
	silenceClientGo()
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	deferred := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &o.ConfigOverrides)
	config, err := deferred.ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, ErrNoKubeconfig
	case err != nil:
		return nil, kubeconfigError(rules, o.CurrentContext, err)
	}
	c, err := connect(config)
	if err == nil {
		c.context, _, err = deferred.Namespace()
	}
	return c, err
}

// ErrNoContext is wrapped by the error for a context that the kubeconfig does not have.
var ErrNoContext = errors.New("--context")

// noContext names the contexts that there are; nil where the one that is asked for is among them.
func noContext(rules *clientcmd.ClientConfigLoadingRules, asked string) error {
	config, err := rules.Load()
	if err != nil || asked == "" || config.Contexts[asked] != nil || len(config.Contexts) == 0 {
		return nil
	}
	has := strings.Join(slices.Sorted(maps.Keys(config.Contexts)), ", ")
	return fmt.Errorf("%w: the kubeconfig has no context %q; it has %s", ErrNoContext,
		evidence.Clean(asked), evidence.Clean(has))
}

// kubeconfigError names the file that cannot be read, without what the libraries call it.
func kubeconfigError(rules *clientcmd.ClientConfigLoadingRules, asked string, err error) error {
	if err := noContext(rules, asked); err != nil {
		return err
	}
	none := true
	for _, path := range rules.GetLoadingPrecedence() {
		name := evidence.Clean(path)
		info, absent := os.Stat(path)
		_, broken := clientcmd.LoadFromFile(path)
		switch {
		case errors.Is(absent, fs.ErrNotExist) && path == rules.ExplicitPath:
			return fmt.Errorf("there is no kubeconfig %s; name one with --kubeconfig", name)
		case errors.Is(absent, fs.ErrNotExist):
		case absent == nil && broken == nil:
			none = false
		case absent == nil && info.IsDir():
			return fmt.Errorf("the kubeconfig %s is a folder; name a file in it", name)
		case errors.Is(broken, fs.ErrPermission):
			return fmt.Errorf("the kubeconfig %s cannot be read: access denied", name)
		default:
			return fmt.Errorf(
				"%s is no kubeconfig: it must be YAML with clusters, contexts and users",
				name)
		}
	}
	if none {
		return ErrNoKubeconfig
	}
	return fmt.Errorf("the kubeconfig: %w", firstOf(err))
}

// firstOf is the first of the complaints that clientcmd lists side by side: the
// others mostly repeat it for the next file.
func firstOf(err error) error {
	var all interface{ Errors() []error }
	if errors.As(err, &all) && len(all.Errors()) > 0 {
		return all.Errors()[0]
	}
	return err
}

func connect(config *rest.Config) (*Client, error) {
	config = rest.CopyConfig(config)
	statuses := runtime.NewScheme()
	// why a request is refused is told as a Status
	metav1.AddToGroupVersion(statuses, schema.GroupVersion{Version: "v1"})
	config.NegotiatedSerializer = serializer.NewCodecFactory(statuses).WithoutConversion()
	config.UserAgent = "doctor"
	config.WarningHandler = rest.NoWarnings{}
	config.QPS, config.Burst = 200, 200 // the parallel work is bounded, and the server has its own limits
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig: %w", err)
	}
	c := &Client{rest: client, config: config}
	c.nodeName, c.until = clientCertificate(config)
	return c, nil
}

// maxAnswer bounds one answer of the server.
const maxAnswer = 96 << 20

// open sends one GET, again where the server has too many requests just now.
// verb and what are for the error: "list", "pods".
func (c *Client) open(ctx context.Context, path string, query url.Values, verb,
	what string) (io.ReadCloser, error) {
	return c.send(ctx, Request{Path: path, Query: query, Verb: verb, What: what}, maxRetries)
}

// maxRetries is how often a server that says "too many requests" is asked again.
const maxRetries = 2

// worthAnother tells how long to wait before a request that the server put off
// is sent again. A wait that ends after all time is over is not begun.
func worthAnother(ctx context.Context, err error) (time.Duration, bool) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Code != http.StatusTooManyRequests {
		return 0, false
	}
	pause := time.Second
	if d := status.Status().Details; d != nil && d.RetryAfterSeconds > 0 {
		pause = time.Duration(d.RetryAfterSeconds) * time.Second
	}
	deadline, bounded := ctx.Deadline()
	return pause, !bounded || time.Until(deadline) > pause
}

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

// clientCertificate reads the name that the API server knows a kubelet by, ""
// for anybody else, and when the certificate ends.
func clientCertificate(config *rest.Config) (node string, until time.Time) {
	content := config.CertData
	if len(content) == 0 && config.CertFile != "" {
		// without it no request will work, and that is told
		content, _ = os.ReadFile(config.CertFile)
	}
	for {
		var block *pem.Block
		if block, content = pem.Decode(content); block == nil {
			return "", time.Time{}
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return "", time.Time{}
		}
		if name, ok := strings.CutPrefix(cert.Subject.CommonName, nodeUser); ok {
			node = name
		}
		return node, cert.NotAfter
	}
}

// What a kubelet is to the API server: its name, and the group that gives it its rights.
const (
	nodeUser   = "system:node:"
	nodesGroup = "system:nodes"
)

// Options say which cluster, and as whom: the flags of kubectl with kubectl's meaning.
type Options struct {
	Kubeconfig string // a path; empty for kubectl's own search
	clientcmd.ConfigOverrides
}

// Flags adds kubectl's connection flags, and returns the names of those that are seldom needed.
func (o *Options) Flags(flags *pflag.FlagSet) (seldom []string) {
	flags.StringVar(&o.Kubeconfig, "kubeconfig", "",
		"the kubeconfig to use; else found as kubectl finds it, or on a node the kubelet's own")
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.AuthOverrideFlags.Username.LongName = "" // basic authentication is gone from Kubernetes
	names.AuthOverrideFlags.Password.LongName = ""
	names.ContextOverrideFlags.Namespace.Description = "the namespace of the pod of --from-pod; also the one whose pods are read where the account may not list all pods"
	names.CurrentContext.Description = "the context of the kubeconfig to use"
	clientcmd.BindOverrideFlags(&o.ConfigOverrides, own, names)
	own.VisitAll(func(f *pflag.Flag) {
		if f.Name != names.CurrentContext.LongName {
			seldom = append(seldom, f.Name)
		}
	})
	flags.AddFlagSet(own)
	return seldom
}

// Given tells whether any flag says which cluster, or as whom.
func (o Options) Given() bool {
	var none Options
	none.Flags(pflag.NewFlagSet("", pflag.ContinueOnError))
	none.Context.Namespace, none.ClusterDefaults = o.Context.Namespace, o.ClusterDefaults
	return !reflect.DeepEqual(o, none) && !reflect.DeepEqual(o, Options{})
}

// Contexts are the names of the kubeconfig's contexts, none where it cannot be read.
func (o Options) Contexts() []string {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	config, err := rules.Load()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(config.Contexts))
}
