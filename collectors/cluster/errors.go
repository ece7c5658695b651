package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// explain makes of what client-go says the gap that a reader understands:
// whether the server was reached, whether it let us in, and what it refused.
func (c *Client) explain(ctx context.Context, err error, verb, what string) error {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return c.refused(int(status.Status().Code), serverMessage(status.Status()), verb, what)
	}
	server := "the API server " + server(c.config.Host)
	var syntax *json.SyntaxError
	var expired x509.CertificateInvalidError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var alert tls.AlertError
	var dns *net.DNSError
	var op *net.OpError
	switch text := innermost(err); {
	case ctx.Err() != nil || isTimeout(err):
		return collectors.GapError(evidence.APINoAnswer.Gap(server, verb, what))
	case errors.As(err, &expired) && expired.Reason == x509.Expired:
		return collectors.GapError(evidence.ServerCertExpired.Gap(server, expired))
	case errors.As(err, &authority), errors.As(err, &name), errors.As(err, &expired):
		return collectors.GapError(evidence.ServerCertRefused.Gap(server, text))
	case errors.As(err, &alert):
		return collectors.GapError(evidence.ClientCertRefused.Gap(server, text))
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return collectors.GapError(evidence.ProxyUnreachable.Gap(server, c.proxy(), op.Err))
	case errors.As(err, &dns):
		return collectors.GapError(evidence.NameNotResolved.Gap(server))
	case errors.As(err, &op):
		return collectors.GapError(evidence.Unreachable.Gap(server, op.Err))
	case strings.Contains(err.Error(), "getting credentials"):
		return collectors.GapError(evidence.LoginProgramFailed.Gap(strings.TrimPrefix(text,
			"getting credentials: ")))
	case errors.As(err, &syntax) && !strings.Contains(syntax.Error(), "unexpected end"):
		return collectors.GapError(evidence.NotAnAPIServer.Gap(server, verb, what, syntax))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF),
		strings.HasPrefix(text, "stream error"), strings.HasPrefix(text, "http2:"),
		errors.As(err, &syntax):
		return collectors.GapError(evidence.ConnectionCut.Gap(server, verb, what))
	default:
		return collectors.GapError(evidence.APIFailed.Gap(server, verb, what, text))
	}
}

func (c *Client) refused(code int, message, verb, what string) error {
	server := "the API server " + server(c.config.Host)
	switch {
	case code == http.StatusUnauthorized && !c.until.IsZero() && c.until.Before(time.Now()):
		return collectors.GapError(evidence.ClientCertExpired.Gap(
			c.until.UTC().Format(time.RFC3339), server))
	case code == http.StatusUnauthorized:
		return collectors.GapError(evidence.CredentialsRefused.Gap(server))
	case code == http.StatusForbidden:
		return collectors.GapError(evidence.NotAuthorized.Gap(verb, what, message+c.withoutGroup(what)))
	case code == http.StatusNotFound:
		return collectors.GapError(evidence.APIHasNone.Gap(server, what))
	case code == http.StatusTooManyRequests:
		return collectors.GapError(evidence.TooManyRequests.Gap(server, verb, what))
	}
	return collectors.GapError(evidence.APIError.Gap(server, verb, what, strconv.Itoa(code),
		message))
}

// withoutGroup says why a node that the client acts as may not read itself: API servers know it only
// by its group, too. Those from 1.36 on add the group, unless whoever asks acted as others before.
func (c *Client) withoutGroup(what string) string {
	as := c.config.Impersonate
	name, isNode := strings.CutPrefix(as.UserName, nodeUser)
	if !isNode || what != "node "+name || slices.Contains(as.Groups, nodesGroup) {
		return ""
	}
	return " (the name of a node gives no rights without its group: add --as-group " + nodesGroup + ")"
}

// serverMessage are the server's own where it gave any: client-go puts general ones
// before what is no Status, such as a kubelet's plain text.
func serverMessage(s metav1.Status) string {
	if s.Details != nil {
		for _, cause := range s.Details.Causes {
			if cause.Type == metav1.CauseTypeUnexpectedServerResponse && cause.Message != "" &&
				cause.Message != "unknown" {
				return strings.TrimSpace(cause.Message)
			}
		}
	}
	return s.Message
}

func isGap(err error, code evidence.Code) bool {
	gap, ok := errors.AsType[collectors.GapError](err)
	return ok && gap.Code == code
}

// IsNotFound tells that the server does not have what was asked for, or its kind.
func IsNotFound(err error) bool { return isGap(err, evidence.APIHasNone) }

// isForbidden tells that the account may not do what it asked for.
func isForbidden(err error) bool { return isGap(err, evidence.NotAuthorized) }

// isNoLogin tells that there are no credentials.
func isNoLogin(err error) bool { return isGap(err, evidence.LoginProgramFailed) }

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// server is the host without what a proxy's URL may hold of a password.
func server(host string) string {
	if u, err := url.Parse(host); err == nil && u.Host != "" {
		return u.Host
	}
	return host
}

// proxy is the one that requests go through, without a password in it.
func (c *Client) proxy() string {
	u, err := url.Parse(c.config.Host)
	if err != nil {
		return ""
	}
	choose := c.config.Proxy
	if choose == nil {
		choose = http.ProxyFromEnvironment
	}
	proxy, err := choose(&http.Request{URL: u})
	if err != nil || proxy == nil {
		return ""
	}
	return proxy.Redacted()
}

// innermost is the last part of a chain of errors: those before it repeat the URL.
func innermost(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return strings.TrimSpace(err.Error())
}
