package onnode

import (
	"fmt"
	"strconv"
	"strings"

	"doctor/collectors/cluster"
)

// A Manifest is what a cluster needs to be read from its nodes, for `kubectl apply -f -` or as a
// resource of a kustomization.
type Manifest struct {
	Options
	Continuous bool   // publish conditions and events, too
	Reports    bool   // and ClusterReports
	Every      string // 5m
	Port       int    // of /metrics
}

// Text returns the manifest as YAML.
func (m Manifest) Text() string {
	parts := []string{namespaceAndReader, cluster.ClusterRole, operatorAndAccount}
	args := ""
	if m.Continuous {
		parts = append(parts, publisherRole)
		if args += "        - --publish\n"; m.Reports {
			parts = append(parts, reportRule)
		}
		parts = append(parts, publisherRest, fmt.Sprintf(ownPolicy, "events", "", "v1", "CREATE",
			"object.involvedObject.kind == 'Node' && object.involvedObject.name == variables.node"))
		if m.Reports {
			args += "        - --openreports\n"
			parts = append(parts, fmt.Sprintf(ownPolicy, "clusterreports", "openreports.io",
				"v1alpha1", "CREATE, UPDATE", "object.metadata.name == 'doctor-' + variables.node"))
		}
	}
	secrets := ""
	for i, name := range m.PullSecrets {
		if i == 0 {
			secrets = "      imagePullSecrets:\n"
		}
		secrets += "      - name: " + name + "\n"
	}
	parts = append(parts, daemonSet, secrets, daemonSetContainer, args, daemonSetRest)
	return strings.NewReplacer("NAMESPACE", m.Namespace, "PORT", strconv.Itoa(m.Port), "IMAGE",
		m.Image, "EVERY", m.Every, "WITHTOKEN", strconv.FormatBool(m.Continuous)).
		Replace(strings.Join(parts, ""))
}

// The parts of the manifest, in their order; words in capitals are replaced.
const namespaceAndReader = `# What doctor needs in a cluster; written by ` + "`" + `doctor fleet manifest` + "`" + `.
apiVersion: v1
kind: Namespace
metadata:
  name: NAMESPACE
  labels:
    app.kubernetes.io/name: doctor
    # HostProcess containers are refused below this level
    pod-security.kubernetes.io/enforce: privileged
---
`

const operatorAndAccount = `---
# For who runs doctor with --on-node, in addition to doctor-reader. Bind both to that person or group.
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: doctor-on-node
  namespace: NAMESPACE
rules:
# The Job that owns what a run creates: list finds those that interrupted runs left.
- apiGroups: [batch]
  resources: [jobs]
  verbs: [create, list, delete]
# A pod on each node; delete removes it when its log is read.
- apiGroups: [""]
  resources: [pods]
  verbs: [create, list, delete]
# The evidence that a pod prints.
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: doctor
  namespace: NAMESPACE
automountServiceAccountToken: false
`

const publisherRole = `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: doctor-publisher
rules:
# Its own Node once at the start: what an earlier start published is not written again.
- apiGroups: [""]
  resources: [nodes]
  verbs: [get]
# The condition WindowsNodeProblem; the policy doctor-own-node admits it on the pod's own Node alone.
- apiGroups: [""]
  resources: [nodes/status]
  verbs: [patch]
`

const reportRule = `# One small ClusterReport of the node, with its faults.
- apiGroups: [openreports.io]
  resources: [clusterreports]
  verbs: [create, patch]
`

const publisherRest = `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: doctor-publisher
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: doctor-publisher
subjects:
- kind: ServiceAccount
  name: doctor
  namespace: NAMESPACE
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: doctor-publisher
  namespace: default
rules:
# An Event of the Node where its causes change; events of nodes are in this namespace.
- apiGroups: [""]
  resources: [events]
  verbs: [create]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: doctor-publisher
  namespace: default
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: doctor-publisher
subjects:
- kind: ServiceAccount
  name: doctor
  namespace: NAMESPACE
---
# A pod writes the status of the Node that it runs on, and of that its own condition alone. The token of
# the pod names the node (Kubernetes 1.30 and later).
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: doctor-own-node
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - apiGroups: [""]
      apiVersions: [v1]
      operations: [UPDATE]
      resources: [nodes/status]
  matchConditions:
  - name: of-doctor
    expression: request.userInfo.username == 'system:serviceaccount:NAMESPACE:doctor'
  variables:
  - name: node
    expression: >-
      'authentication.kubernetes.io/node-name' in request.userInfo.extra ?
      request.userInfo.extra['authentication.kubernetes.io/node-name'][0] : ''
  validations:
  - expression: variables.node == object.metadata.name
    message: a pod of doctor writes the status of its own node alone
  - expression: >-
      object.status.conditions.filter(c, c.type != 'WindowsNodeProblem') ==
      oldObject.status.conditions.filter(c, c.type != 'WindowsNodeProblem')
    message: a pod of doctor writes the condition WindowsNodeProblem alone
  - expression: >-
      object.status.?capacity == oldObject.status.?capacity &&
      object.status.?allocatable == oldObject.status.?allocatable &&
      object.status.?addresses == oldObject.status.?addresses &&
      object.status.?nodeInfo == oldObject.status.?nodeInfo &&
      object.status.?daemonEndpoints == oldObject.status.?daemonEndpoints &&
      object.status.?images == oldObject.status.?images &&
      object.status.?volumesInUse == oldObject.status.?volumesInUse &&
      object.status.?volumesAttached == oldObject.status.?volumesAttached &&
      object.status.?phase == oldObject.status.?phase &&
      object.status.?config == oldObject.status.?config &&
      object.status.?runtimeHandlers == oldObject.status.?runtimeHandlers &&
      object.status.?features == oldObject.status.?features &&
      object.metadata.?labels == oldObject.metadata.?labels &&
      object.metadata.?annotations == oldObject.metadata.?annotations &&
      object.metadata.?finalizers == oldObject.metadata.?finalizers &&
      object.metadata.?ownerReferences == oldObject.metadata.?ownerReferences
    message: a pod of doctor writes the condition WindowsNodeProblem alone
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: doctor-own-node
spec:
  policyName: doctor-own-node
  validationActions: [Deny]
`

// ownPolicy lets a pod write objects about the node that it runs on, and about no other.
const ownPolicy = `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: doctor-own-%[1]s
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - apiGroups: [%[2]q]
      apiVersions: [%[3]s]
      operations: [%[4]s]
      resources: [%[1]s]
  matchConditions:
  - name: of-doctor
    expression: request.userInfo.username == 'system:serviceaccount:NAMESPACE:doctor'
  variables:
  - name: node
    expression: >-
      'authentication.kubernetes.io/node-name' in request.userInfo.extra ?
      request.userInfo.extra['authentication.kubernetes.io/node-name'][0] : ''
  validations:
  - expression: variables.node != '' && %[5]s
    message: a pod of doctor writes %[1]s of its own node alone
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: doctor-own-%[1]s
spec:
  policyName: doctor-own-%[1]s
  validationActions: [Deny]
`

const daemonSet = `---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: doctor
  namespace: NAMESPACE
  labels:
    app.kubernetes.io/name: doctor
spec:
  selector:
    matchLabels:
      app.kubernetes.io/name: doctor
      app.kubernetes.io/component: agent
  updateStrategy:
    rollingUpdate:
      maxUnavailable: 10%
  template:
    metadata:
      labels:
        app.kubernetes.io/name: doctor
        app.kubernetes.io/component: agent
      annotations:
        prometheus.io/scrape: "true"
        prometheus.io/port: "PORT"
    spec:
      os:
        name: windows
      nodeSelector:
        kubernetes.io/os: windows
      tolerations:
      - operator: Exists
      hostNetwork: true
      securityContext:
        windowsOptions:
          hostProcess: true
          runAsUserName: NT AUTHORITY\SYSTEM
      serviceAccountName: doctor
      automountServiceAccountToken: WITHTOKEN
      enableServiceLinks: false
      terminationGracePeriodSeconds: 10
`

const daemonSetContainer = `      containers:
      - name: doctor
        image: IMAGE
        command:
        - '%CONTAINER_SANDBOX_MOUNT_POINT%\doctor.exe'
        - fleet
        - agent
        - --every=EVERY
        - --listen=:PORT
`

const daemonSetRest = `        env:
        - name: NODE_NAME
          valueFrom:
            fieldRef:
              fieldPath: spec.nodeName
        ports:
        - name: metrics
          containerPort: PORT
          hostPort: PORT
        resources:
          requests:
            cpu: 10m
            memory: 100Mi
          limits:
            memory: 512Mi
`
