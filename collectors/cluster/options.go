package cluster

import (
	"maps"
	"reflect"
	"slices"

	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"
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
