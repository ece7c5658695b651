package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/probed"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/probe"
	"doctor/ui"
)

// dnsFlags are the options of a probe of DNS.
type dnsFlags struct {
	flags
	servers, names    []string
	namespace, domain string
}

func probeDNSCommand(std streams) *cobra.Command {
	var f dnsFlags
	cmd := &cobra.Command{
		Use:   "dns --server ADDRESS[:PORT]",
		Short: "Compares how Windows pods and Linux pods resolve names",
		Long: `dns sends each name to each server in three forms, over UDP and TCP, and compares the answers:

  plain    the name as given
  windows  as in a Windows pod: one suffix, NAMESPACE.svc.DOMAIN, and none for a name with a dot
  linux    as in a Linux pod: the search list, and ndots:5

A name with a dot that resolves only in the Linux form is normal on Windows. A name that resolves in no form is a
fault if it must exist (kubernetes.default does in every cluster) or if the cluster's own zone fails.

Each query is sent once over each transport, and up to three times over UDP if there is no answer. All queries are sent
at the same time. On Windows the system's own resolver is queried too.

Exit status:
  0    no fault: each name that must exist resolves, or could not be queried
  1    internal error
  2    usage error
  3    a server does not answer, or a name does not resolve that should
  5    no fault, but a query could not be sent (only with --fail-on unknown)
  130  interrupted
`,
		Example: `  doctor probe dns --server 10.96.0.10
  doctor probe dns --server 127.0.0.1:5353 --namespace default --name kubernetes.default
  doctor probe dns --server 10.96.0.10,10.244.1.9 --namespace shop --name web,web.shop -o json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return probeDNS(cmd.Context(), std, f) },
	}
	p := cmd.Flags()
	p.StringSliceVar(&f.servers, "server", nil,
		"the DNS server: an address, with a port if it is not 53; several with commas, or the flag again")
	p.StringSliceVar(&f.names, "name", nil,
		"the names to resolve; default: the names in the documentation, and one outside the cluster")
	p.StringVar(&f.namespace, "namespace", "default",
		"the namespace of the pod whose search list is used")
	p.StringVar(&f.domain, "cluster-domain", session.DefaultDomain,
		"the domain of the cluster's names")
	f.addProbe(cmd, session.DNSTimeout, "how long all questions together may take")
	return cmd
}

// The most servers and names of one run: a probe is no load test.
const (
	maxDNSServers = 4
	maxDNSNames   = 8
)

func (f dnsFlags) plan() (probe.DNSPlan, error) {
	plan := probe.DNSPlan{Names: f.names, Namespace: f.namespace, Domain: f.domain}
	if plan.Names == nil {
		plan.Names = session.DocumentedNames(f.domain)
	}
	switch {
	case len(f.servers) == 0:
		return plan,
			errors.New("dns needs a server: --server ADDRESS, such as the address of the Service kube-dns")
	case len(f.servers) > maxDNSServers:
		return plan, fmt.Errorf("--server names %d servers; dns asks at most %d", len(f.servers),
			maxDNSServers)
	case len(plan.Names) == 0:
		return plan, errors.New("--name is given an empty name")
	case len(plan.Names) > maxDNSNames:
		return plan, fmt.Errorf("--name gives %d names; dns resolves at most %d", len(plan.Names),
			maxDNSNames)
	}
	if err := f.validateProbe(); err != nil {
		return plan, err
	}
	for _, s := range f.servers {
		server, err := probe.ParseDNSServer(s)
		if err != nil {
			return plan, fmt.Errorf("--server %s: %w", evidence.Clean(s), err)
		}
		plan.Servers = append(plan.Servers, probe.DNSServer{Address: server})
	}
	for _, given := range []struct{ flag, value string }{{"--namespace", f.namespace},
		{"--cluster-domain", f.domain}} {
		if !probe.IsDNSName(given.value) {
			return plan, fmt.Errorf("%s %q is no domain name", given.flag,
				evidence.Clean(given.value))
		}
	}
	for _, name := range plan.Names {
		if !probe.IsDNSName(name) {
			return plan, fmt.Errorf("--name %q is no domain name", evidence.Clean(name))
		}
	}
	if runtime.GOOS == "windows" {
		plan.System = plan.Names
	}
	return plan, nil
}

func probeDNS(ctx context.Context, std streams, f dnsFlags) error {
	plan, err := f.plan()
	if err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	probes := probe.DNS(timed, plan)
	if err := ctx.Err(); err != nil {
		return err
	}
	out := f.displayOn(std)
	defer out.close()
	out.console.EnterText()
	if f.output == "json" {
		err = ui.ProbeDNSJSON(std.out, probes)
	} else {
		err = ui.ProbeDNS(std.out, probes, out.style())
	}
	if err != nil {
		return trouble(fmt.Errorf("writing what the servers answered: %w", err))
	}
	worst := probed.DNSStatus(probed.JudgeDNS(probes))
	return f.failOn.status(func(s checks.Status) bool { return s == worst })
}

// reachFlags are the options of a probe of reachability.
type reachFlags struct {
	flags
	targets []string
}

func probeReachCommand(std streams) *cobra.Command {
	var f reachFlags
	cmd := &cobra.Command{
		Use:   "reach --target HOST:PORT[,…]",
		Short: "Checks that hosts answer over TCP, TLS, HTTP and ICMP",
		Long: `reach connects to each target and pings it from this machine, and compares the results: on Windows a failed ping is
normal where TCP works.

A target is HOST:PORT, a host alone (which is only pinged), or a URL of http or https. An IPv6 address with a port
is written in brackets. TLS and HTTP are tried for a URL and on their usual ports (443, 6443, 8443, 9345, 9443, 10250;
80, 8080); on other ports only the TCP connection is checked. Any certificate is accepted, no credentials are sent, and
no proxy is used. Names are resolved by this machine's resolver, and the first address is used.

Each target gets one connection and five pings, four of them to find out which packet sizes arrive; a ping without an
answer is sent once more. All targets are probed at the same time.

Exit status:
  0    no fault: every target answers, or could not be checked
  1    internal error
  2    usage error
  3    a target does not answer over TCP, or answers with another protocol
  5    no fault, but a target could not be checked (only with --fail-on unknown)
  130  interrupted
`,
		Example: `  doctor probe reach --target 10.99.0.2:80
  doctor probe reach --target https://10.96.0.1/healthz,10.96.0.10:53 --target mcr.microsoft.com:443
  doctor probe reach --target [fd00::10]:443,10.20.30.10 --timeout 3s -o json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return probeReach(cmd.Context(), std, f)
		},
	}
	cmd.Flags().StringSliceVar(&f.targets, "target", nil,
		"whom to ask: HOST:PORT, HOST, http://… or https://…; several with commas, or the flag again")
	f.addProbe(cmd, probe.ReachTimeout, "how long all targets together may take")
	return cmd
}

// maxTargets keeps a probe from becoming a scan.
const maxTargets = 64

func (f reachFlags) plan() (probe.ReachPlan, error) {
	plan := probe.ReachPlan{Timeout: f.Timeout}
	if len(f.targets) == 0 {
		return plan, errors.New("reach needs a target: --target HOST:PORT")
	}
	if err := f.validateProbe(); err != nil {
		return plan, err
	}
	if err := session.AddTargets(&plan, f.targets); err != nil {
		return plan, err
	}
	if len(plan.Targets) > maxTargets {
		return plan, fmt.Errorf("%d targets are more than the %d that a probe takes at once",
			len(plan.Targets), maxTargets)
	}
	return plan, nil
}

func probeReach(ctx context.Context, std streams, f reachFlags) error {
	plan, err := f.plan()
	if err != nil {
		return err
	}
	measured := probe.Reach(ctx, plan)
	if err := ctx.Err(); err != nil {
		return err
	}
	var results []probed.ReachResult
	for _, t := range plan.Targets {
		mine := func(p evidence.ReachProbe) bool {
			return p.Target == t.Name() || p.Protocol == "icmp" && p.Target == t.Host
		}
		of := slices.DeleteFunc(slices.Clone(measured), func(p evidence.ReachProbe) bool {
			return !mine(p)
		})
		results = append(results, probed.JudgeReach(t.Name(), of, runtime.GOOS == "windows"))
	}
	out := f.displayOn(std)
	defer out.close()
	out.console.EnterText()
	write := ui.ProbeReach
	if f.output == "json" {
		write = ui.ProbeReachJSON
	}
	if err := write(std.out, results, out.style()); err != nil {
		return trouble(err)
	}
	return f.failOn.status(func(s checks.Status) bool {
		return slices.ContainsFunc(results, func(r probed.ReachResult) bool {
			return r.Status == s
		})
	})
}

func probeCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "probe",
		Short: "Sends DNS, TCP and ICMP probes from this machine",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("probe needs a subcommand: dns or reach")
		},
	}
	cmd.AddCommand(probeDNSCommand(std), probeReachCommand(std))
	return cmd
}

func textOrJSON() []string { return []string{"text", "json"} }

// addProbe adds the flags that both probes have.
func (f *flags) addProbe(cmd *cobra.Command, timeout time.Duration, usage string) {
	p := cmd.Flags()
	spanFlag(p, &f.Timeout, "timeout", timeout, "s", usage)
	p.StringSliceVar((*[]string)(&f.failOn), "fail-on", nil, failOnUsage)
	completeWith(cmd, "fail-on", func() []string { return failLevels })
	p.StringVarP(&f.output, "output", "o", "text", "text or json")
	p.BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters only")
	completeWith(cmd, "output", textOrJSON)
}

func (f *flags) validateProbe() error {
	switch {
	case f.Timeout <= 0:
		return errors.New("--timeout takes a time above zero, such as 5s")
	case !slices.Contains(textOrJSON(), f.output):
		return unknownFormat(f.output, textOrJSON())
	}
	return f.failOn.validate()
}
