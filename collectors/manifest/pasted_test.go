package manifest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
)

// TestVerdictsOverPublishedManifests lints manifests that people published, word for word, with
// their addresses.
func TestVerdictsOverPublishedManifests(t *testing.T) {
	for _, row := range []struct{ source, manifest, want string }{
		{"https://github.com/andyzhangx/demo/blob/master/windows/flexvolume/aspnet-flex-example.yaml", flexExample,
			"warn flexvolume-in-use, warn pod-limits-unequal, warn pod-os-not-selected"},
		{"https://github.com/andyzhangx/demo/blob/master/windows/configmap/aspnet-configmap.yaml", aspnetConfigMap,
			"warn pod-limits-unequal, warn pod-os-not-selected"},
		{"https://github.com/andyzhangx/demo/blob/master/windows/basic/aspnetapp-mooncake.yaml", aspnetApp,
			"warn pod-limits-unequal, warn pod-os-not-selected"},
		{"Kubernetes 1.16, intro-windows-in-kubernetes.md", iisInHyperV,
			"warn hyperv-annotation, warn image-tag-latest, warn pod-limits-unequal, warn pod-os-not-selected"},
		{"flannel for Windows before HostProcess, of sig-windows-tools", flannelOnHost,
			"warn pod-limits-unequal"},
	} {
		t.Run(row.source, func(t *testing.T) {
			m := &Manifests{}
			if err := m.Read("a.yaml", strings.NewReader(row.manifest)); err != nil {
				t.Fatal(err)
			}
			tree, err := m.FS()
			if err != nil {
				t.Fatal(err)
			}
			s, err := evidence.Load(tree)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, r := range checks.Diagnose(s, faults.Catalogue(), checks.Source{Kind: "manifest"},
				checks.Program{}).Results {
				if status := fmt.Sprint(r.Status); status == "fail" || status == "warn" {
					found = append(found, status+" "+r.ID)
				}
			}
			slices.Sort(found)
			if got := strings.Join(found, ", "); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

const flexExample = `apiVersion: v1
kind: Pod
metadata:
  name: aspnet-flex-example
spec:
  containers:
  - name: aspnet-flex-example
    image: microsoft/aspnet:4.7.2-windowsservercore-1803
    volumeMounts:
    - name: flextest
      mountPath: /data
  nodeSelector:
    beta.kubernetes.io/os: windows
  volumes:
  - name: flextest
    flexVolume:
      driver: "test/example.cmd"
`

const aspnetConfigMap = `kind: Pod
apiVersion: v1
metadata:
  name: aspnet-configmap
spec:
  containers:
  - image: microsoft/aspnet:4.7.2-windowsservercore-1803
    name: aspnet-configmap
    env:
      - name: SPECIAL_LEVEL_KEY
        valueFrom:
          configMapKeyRef:
            name: special-config
            key: special.how
    volumeMounts:
      - name: config-volume
        mountPath: /etc/config
  volumes:
    - name: config-volume
      configMap:
        # Provide the name of the ConfigMap containing the files you want
        # to add to the container
        name: special-config
`

const aspnetApp = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: sample
  labels:
    app: sample
spec:
  replicas: 1
  template:
    metadata:
      name: sample
      labels:
        app: sample
    spec:
      nodeSelector:
        "beta.kubernetes.io/os": windows
      containers:
      - name: sample
        image: mcr.azk8s.cn/dotnet/framework/samples:aspnetapp
        resources:
          limits:
            cpu: 1
            memory: 800M
          requests:
            cpu: .1
            memory: 300M
        ports:
          - containerPort: 80
  selector:
    matchLabels:
      app: sample
---
apiVersion: v1
kind: Service
metadata:
  name: sample
spec:
  type: LoadBalancer
  ports:
  - protocol: TCP
    port: 80
  selector:
    app: sample
`

const iisInHyperV = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: iis
spec:
  selector:
    matchLabels:
      app: iis
  replicas: 3
  template:
    metadata:
      labels:
        app: iis
      annotations:
        experimental.windows.kubernetes.io/isolation-type: hyperv
    spec:
      containers:
      - name: iis
        image: microsoft/iis
        ports:
        - containerPort: 80
`

const flannelOnHost = `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: kube-flannel-ds-windows-amd64
  labels:
    tier: node
    app: flannel
  namespace: kube-system
spec:
  selector:
    matchLabels:
      app: flannel
  template:
    metadata:
      labels:
        tier: node
        app: flannel
    spec:
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
                  - key: kubernetes.io/os
                    operator: In
                    values:
                      - windows
                  - key: kubernetes.io/arch
                    operator: In
                    values:
                      - amd64
      hostNetwork: true
      serviceAccountName: flannel
      tolerations:
      - operator: Exists
        effect: NoSchedule
      containers:
      - name: kube-flannel
        image: sigwindowstools/flannel:v0.13.0-nanoserver
        command:
        - pwsh
        args:
        - -file
        - /etc/kube-flannel-windows/run.ps1
        volumeMounts:
        - name: wins
          mountPath: \\.\pipe\rancher_wins
        - name: host
          mountPath: /host
        - name: kube-proxy
          mountPath: /kube-proxy
        - name: cni
          mountPath: /etc/cni/net.d
        - name: flannel-cfg
          mountPath: /etc/kube-flannel/
        - name: flannel-windows-cfg
          mountPath: /etc/kube-flannel-windows/
        - name: kubeadm-config
          mountPath: /etc/kubeadm-config/
        env:
        - name: POD_NAME
          valueFrom:
            fieldRef:
              apiVersion: v1
              fieldPath: metadata.name
        - name: POD_NAMESPACE
          valueFrom:
            fieldRef:
              apiVersion: v1
              fieldPath: metadata.namespace
      volumes:
      - name: opt
        hostPath:
          path: /opt
      - name: host
        hostPath:
          path: /
      - name: cni
        hostPath:
          path: /etc
      - name: flannel-cfg
        configMap:
          name: kube-flannel-cfg
      - name: flannel-windows-cfg
        configMap:
          name: kube-flannel-windows-cfg
      - name: kube-proxy
        configMap:
          name: kube-proxy
      - name: kubeadm-config
        configMap:
          name: kubeadm-config
      - name: wins
        hostPath:
          path: \\.\pipe\rancher_wins
          type: null
`
