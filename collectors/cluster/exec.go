package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/streaming/pkg/httpstream"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// A Pod is a running Windows pod, and the container of it in which commands are run.
type Pod struct {
	Name      string // namespace/name
	Container string

	client *Client
}

// OpenPod finds the pod, named as namespace/name, and tells why no command can
// be run in it: that it does not run, that it is a Linux pod, or that it runs on
// another node than the one that is looked at, where one is named.
func (c *Client) OpenPod(ctx context.Context, name, node string) (*Pod, error) {
	namespace, short, ok := strings.Cut(name, "/")
	if !ok || namespace == "" || short == "" || strings.Contains(short, "/") {
		return nil, unusable("the pod is named as NAMESPACE/NAME, not %q", name)
	}
	// The right to list pods is in the role, the one to get them is not.
	l, err := c.list(ctx, "/api/v1/namespaces/"+url.PathEscape(namespace)+"/pods",
		url.Values{"fieldSelector": {"metadata.name=" + short}}, "pods")
	if err != nil {
		return nil, err
	}
	if l.items.Len() == 0 {
		return nil, collectors.GapError(evidence.NotFound.Gap("pod %s", name))
	}
	var pod evidence.Pod
	if err := json.Unmarshal(l.items.Bytes(), &pod); err != nil {
		return nil, collectors.GapError(evidence.Unreadable.Gap("pod "+name, err))
	}
	system, err := c.systemOf(ctx, pod)
	switch {
	case err != nil:
		return nil, err
	case system != "" && system != "windows":
		return nil, unusable("%s is a %s pod; name one that runs Windows", name, system)
	case pod.HostProcess() || pod.Spec.HostNetwork:
		return nil, unusable(
			"%s is in the network of its node, so it sees what the node sees; name one that has a network of its own", name)
	case node != "" && pod.Spec.NodeName != "" && pod.Spec.NodeName != node:
		return nil, unusable("%s runs on the node %s, not on %s", name, pod.Spec.NodeName, node)
	}
	container, why := containerOf(pod)
	if why != "" {
		return nil, unusable("no command can be run in %s: %s", name, why)
	}
	return &Pod{Name: name, Container: container, client: c}, nil
}

func unusable(format string, args ...any) error {
	return collectors.GapError(evidence.PodUnusable.Gap(append([]any{format}, args...)...))
}

// systemOf is the operating system that the pod runs on, "" where nothing says it.
func (c *Client) systemOf(ctx context.Context, pod evidence.Pod) (string, error) {
	if pod.Spec.OS != nil && pod.Spec.OS.Name != "" {
		return pod.Spec.OS.Name, nil
	}
	if pod.Spec.NodeName == "" {
		return pod.Spec.NodeSelector["kubernetes.io/os"], nil
	}
	object, err := c.Object(ctx, "/api/v1/nodes/"+url.PathEscape(pod.Spec.NodeName),
		"node "+pod.Spec.NodeName)
	if err != nil {
		return "", err
	}
	var n evidence.NodeObject
	if err := json.Unmarshal(object, &n); err != nil {
		return "", collectors.GapError(evidence.Unreadable.Gap("node "+pod.Spec.NodeName, err))
	}
	return cmp.Or(n.Status.NodeInfo.OperatingSystem, n.Metadata.Labels["kubernetes.io/os"]), nil
}

// defaultContainer names the container that kubectl takes where none is named.
const defaultContainer = "kubectl.kubernetes.io/default-container"

// containerOf chooses a container that runs: the one that the pod says itself, or the first.
func containerOf(pod evidence.Pod) (name, why string) {
	if pod.Metadata.DeletionTimestamp != nil {
		return "", "it is being deleted"
	}
	running := func(name string) bool {
		return slices.ContainsFunc(pod.Status.ContainerStatuses,
			func(s evidence.ContainerStatus) bool {
				return s.Name == name && s.State.Running != nil
			})
	}
	if name := pod.Metadata.Annotations[defaultContainer]; running(name) {
		return name, ""
	}
	for _, c := range pod.Spec.Containers { // statuses come in any order
		if running(c.Name) {
			return c.Name, ""
		}
	}
	for _, s := range pod.Status.ContainerStatuses {
		if s.State.Waiting != nil && s.State.Waiting.Reason != "" {
			return "", "its container " + s.Name + " waits (" + s.State.Waiting.Reason + ")"
		}
	}
	return "", "it has no running container (" + cmp.Or(pod.Status.Phase, "unknown phase") + ")"
}

// notStarted is a command that the container runtime could not begin with:
// mostly its program is not in the image.
type notStarted struct{ error }

func (n notStarted) Unwrap() error  { return n.error }
func (notStarted) NotStarted() bool { return true }

// maxOutput bounds what is kept of a command's output; no probe says as much.
const maxOutput = 256 << 10

// Exec runs one command in the container, without a shell, and returns what it
// said and its exit code, which are 32 bits on Windows. A context that ends
// leaves the command alone: the API has no way to stop it.
func (p *Pod) Exec(ctx context.Context, argv []string) (stdout, stderr string, code int,
	err error) {
	c := p.client
	if err := c.noLogin.Load(); err != nil {
		return "", "", 0, *err
	}
	namespace, name, _ := strings.Cut(p.Name, "/")
	at := c.rest.Post().AbsPath("/api/v1/namespaces", namespace, "pods", name, "exec").URL()
	at.RawQuery = url.Values{"container": {p.Container}, "command": argv, "stdout": {"true"},
		"stderr": {"true"}}.Encode()
	out, errs := &keptBeginning{}, &keptBeginning{}
	e := &execution{client: c, at: at, stdout: out, stderr: errs}
	var ended metav1.Status
	done := make(chan error, 1)
	go func() { // SPDY waits for the server's answer without an eye on the context
		var err error
		ended, err = e.run(ctx)
		done <- err
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		return "", "", 0, c.explain(ctx, ctx.Err(), "create", p.what())
	}
	if err != nil {
		return out.b.String(), errs.b.String(), 0, p.notRun(ctx, err, e.denied)
	}
	code, err = p.ended(argv, ended)
	return out.b.String(), errs.b.String(), code, err
}

func (p *Pod) what() string { return "pods/exec of " + p.Name }

// exitCode is in an error of the API server where it translates between protocols: it reads codes
// as eight bits, and refuses the longer ones.
var exitCode = regexp.MustCompile(`invalid exit code value "(-?[0-9]{1,10})"`)

// ended tells how a command ended from what the container runtime reported.
func (p *Pod) ended(argv []string, s metav1.Status) (int, error) {
	if s.Status == metav1.StatusSuccess {
		return 0, nil
	}
	code := ""
	if m := exitCode.FindStringSubmatch(s.Message); m != nil {
		code = m[1]
	} else if s.Reason == remotecommand.NonZeroExitCodeReason && s.Details != nil {
		for _, cause := range s.Details.Causes {
			if cause.Type == remotecommand.ExitCodeCauseType {
				code = cause.Message
			}
		}
	}
	if code, err := strconv.ParseInt(code, 10, 64); err == nil {
		return int(uint32(code)), nil
	}
	if _, why, ok := strings.Cut(s.Message, "error executing command in container: "); ok {
		return 0, notStarted{unusable("%s does not start in the container %s of %s: %s",
			argv[0], p.Container, p.Name, why)}
	}
	return 0, p.client.explain(context.Background(), errors.New(s.Message), "create", p.what())
}

// notRun is why no command ran: what client-go says, in the reader's words.
func (p *Pod) notRun(ctx context.Context, err error, denied *apierrors.StatusError) error {
	if upgrade, ok := errors.AsType[*httpstream.UpgradeFailureError](err); ok {
		err = upgrade.Cause
	}
	if why, spdy := strings.CutPrefix(err.Error(), "unable to upgrade connection: "); spdy {
		if denied != nil && strings.Contains(why, "forbidden") {
			return p.client.refused(http.StatusForbidden, why, "create", p.what())
		}
		err = errors.New(why)
	}
	err = p.client.explain(ctx, err, "create", p.what())
	if isNoLogin(err) {
		p.client.noLogin.Store(&err)
	}
	return err
}

// keptBeginning is the beginning of what a command says.
type keptBeginning struct{ b bytes.Buffer }

func (k *keptBeginning) Write(p []byte) (int, error) {
	k.b.Write(p[:min(len(p), maxOutput-k.b.Len())])
	return len(p), nil
}
