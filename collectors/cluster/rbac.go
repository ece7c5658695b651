package cluster

// ClusterRole is what a person needs who runs `doctor --node`: to read, nothing
// else, and no Secret. It names the requests of this package, and a test runs
// them with these rights alone.
const ClusterRole = `# What ` + "`doctor --node NAME`" + ` reads through the Kubernetes API. Bind it to whoever runs doctor:
#   kubectl apply -f doctor-rbac.yaml
#   kubectl create clusterrolebinding doctor-reader --clusterrole=doctor-reader --user=NAME
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: doctor-reader
rules:
- apiGroups: [""]
  resources: [nodes]
  verbs: [get, list]
- apiGroups: [""]
  resources: [pods, events, services]
  verbs: [list]
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [kube-proxy, kubeadm-config, kube-flannel-cfg, amazon-vpc-cni, aws-auth]
  verbs: [get]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list]
- apiGroups: [apps]
  resources: [daemonsets]
  verbs: [list]
- apiGroups: [networking.k8s.io]
  resources: [servicecidrs]
  verbs: [list]
- apiGroups: [crd.projectcalico.org]
  resources: [ippools, ipamconfigs]
  verbs: [list]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get]
- nonResourceURLs: [/version]
  verbs: [get]
# For the logs of the kubelet, kube-proxy and containerd: remove the # of these three lines. They are
# off because they give more than logs: through the kubelet, their holder can also run commands in
# every pod (https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/#get-nodes-proxy-warning).
# The narrower nodes/log only helps who reaches port 10250 of the node, which doctor does not ask.
#- apiGroups: [""]
#  resources: [nodes/proxy]
#  verbs: [get]
# For --from-pod alone: to run curl.exe, ping.exe and nslookup.exe in a pod. It is the right to run
# anything in every pod, so it is off here; better give it in a Role of the pod's namespace.
#- apiGroups: [""]
#  resources: [pods/exec]
#  verbs: [create]
`
