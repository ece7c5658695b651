package evidence

// A Kubeconfig is the part of a kubeconfig that checks read: how its names refer to each other.
type Kubeconfig struct {
	CurrentContext string
	Clusters       map[string]string // name → server
	Users          []string
	Contexts       map[string]KubeconfigContext
}

// A KubeconfigContext names a cluster and a user.
type KubeconfigContext struct{ Cluster, User string }

// DecodeKubeconfig reads a kubeconfig.
func DecodeKubeconfig(b []byte) (*Kubeconfig, error) {
	o, err := parseYAMLObject(b)
	if err != nil {
		return nil, err
	}
	var clusters []struct {
		Name    string `json:"name"`
		Cluster struct {
			Server string `json:"server"`
		} `json:"cluster"`
	}
	var contexts []struct {
		Name    string `json:"name"`
		Context struct {
			Cluster string `json:"cluster"`
			User    string `json:"user"`
		} `json:"context"`
	}
	var users []struct {
		Name string `json:"name"`
	}
	c := &Kubeconfig{Clusters: map[string]string{}, Contexts: map[string]KubeconfigContext{}}
	o.take("current-context", &c.CurrentContext)
	o.take("clusters", &clusters)
	o.take("contexts", &contexts)
	o.take("users", &users)
	for _, cluster := range clusters {
		c.Clusters[cluster.Name] = cluster.Cluster.Server
	}
	for _, context := range contexts {
		c.Contexts[context.Name] = KubeconfigContext{context.Context.Cluster,
			context.Context.User}
	}
	for _, user := range users {
		c.Users = append(c.Users, user.Name)
	}
	return c, o.err
}
