package redact

import (
	"strings"
	"testing"
)

// TestWhatTheDiagnosisReadsIsLeftAlone: lines as nodes write them, with the
// words of secrets in them and no secret.
func TestWhatTheDiagnosisReadsIsLeftAlone(t *testing.T) {
	for text := range strings.SplitSeq(strings.TrimSpace(innocent), "\n") {
		for _, path := range []string{"logs/kubelet/a.log", "files/C/k/a.yaml"} {
			if got := copied(t, fixed(), text, path); got != text {
				t.Errorf("%s: got %s\nfrom %s", path, got, text)
			}
		}
	}
	for text := range strings.SplitSeq(strings.TrimSpace(innocentJSON), "\n") {
		if got := copied(t, fixed(), text, "api/a.json"); got != text {
			t.Errorf("got %s\nfrom %s", got, text)
		}
	}
}

const innocent = `
| x.persistence | Defines how the file will be projected, via a configmap or secret | configmap |
"JoinTokens": { "Worker": x
// Set password for wildcard (empty location)
secretBytes[i] = tmp ^ secretBytes[i]
		"missing username and password": {missingBasicAuthUsernamePasswordKeys, false},
	BoundServiceAccountTokenVolume: {Default: false, PreRelease: featuregate.Alpha},
	o.EncryptedData = nil // make sure that later code
	BootstrapTokenSecretBytes = 16
var ifaceMetaToken = BitConverter.ToInt32(ifaceBytes.Slice(i + 1, 4));
lineEndingTokens.Select(token => token.Type).Should()
fn to_tokens(&self, tokens: &mut proc_macro2::TokenStream) {
"daprAIInstrumentationKey": "[reference(resourceId('Microsoft.Insights/components/', variables('appInsightsName')), '2020-02-02').InstrumentationKey]",
"sharedKey": "[listKeys(resourceId('Microsoft.OperationalInsights/workspaces/', variables('l')), '2020-03-01-preview').primarySharedKey]"
MYSERVICE_BADPASSWORD: bad password for user '%{USERNAME:user}' from '%{IP:source_ip}' #[1]
Failed publickey for root from 127.0.0.1 port 55986 ssh2: RSA SHA256:dzz-Thisisanexamplekey-sI08R3Mj72k4eXoLXXikQw
the key SHA256:uNiVztksCsDhcc0u9e8BrSwiuI2wk8bTeKTJ9lVbN0k ok
writing new private key to 'pkcs5-plain.pem'
self._password = password or self.opts.password
FromSecret: secretStore,
m_token = std::make_unique<details::AsyncT<ResultT, ProgressT>>(std::move(progress));
using Token = winrt::impl::progress_token<Promise, ProgressT>;
auth_key=snmp_key,
NETSETUP_PROVISION_USE_DEFAULT_PASSWORD = 0x00000004,
connectionInfo.RDGatewayPassword = passwordNode?.Attributes?["storeAsClearText"]?.Value == "True"
[IntPtr]$hToken = [IntPtr]$PrimaryTokenInfo.hProcToken
--travis_enterprise_security_token="[RabbitMQ Password/Enterprise Security Token]" \
AgentToken:       TestAgentToken,
c.Token = c2.Token
--header 'X-Rundeck-Auth-Token: [ApiToken]' \
output = model.generate(**inputs, max_new_tokens=max_output_tokens)
key_password = key_password or conf.security_key_password
Write-Host "vmAdminPassword = $adminPassword$randomIdentifier"
CSSM_DL_DB_RECORD_GENERIC_PASSWORD = CSSM_DB_RECORDTYPE_APP_DEFINED_START + 0
fetch_signing_key: mocked_fetch_signing_key_refresh_value,
jwt_token: jwt_token_valid
return ['token' => $token->plainTextToken];
struct Scenario11_DeleteCookie : Scenario11_DeleteCookieT<Scenario11_DeleteCookie, implementation::Scenario11_DeleteCookie>
Set-ADAccountPassword -Identity $script:testUser1 -Reset -NewPassword $cleanPassword -Server $script:domainDns
public class TestIsCompromisedPassword : PasswordProtectionCmdletBase
password: {{ .Values.sa_password | b64enc | quote}}
password: {{dbPassword1}}
if password == "" || x == "" {
requests.get(u, auth=("svc", password))
Encoding.UTF8.GetBytes("name:value")
  password: foo.sha256(
password -> self-service-reset
username svc authentication failed for user-db
pre-shared-key mismatch detected
 neighbor 10.0.0.2 password mismatch
##vso[task.setvariable variable=x]blue
default: "[user:password]"
E1120 09:00:00.000000    4242 a.go:1] "Unable to register node with API server" err="Post \"https://api.corp.example:6443/api/v1/nodes\": dial tcp: lookup api.corp.example: no such host" node="win-1"
server: https://api-key.corp.example:8443
E1120 09:00:00.000000    4242 a.go:1] Post "https://10.0.0.4:6443/api/v1/namespaces/d/serviceaccounts/default/token": dial tcp 10.0.0.4:6443: i/o timeout
E1120 09:00:00.000000    4242 a.go:1] err="Post \"https://10.0.0.4:6443/api/v1/namespaces/d/serviceaccounts/default/token\": x509: certificate has expired"
E1120 09:00:00.000000    4242 a.go:1] Get "https://auth.docker.io/token": context deadline exceeded
E1120 09:00:00.000000    4242 a.go:1] Get "https://10.0.0.4:6443/api/v1/namespaces/d/secrets/db-password": net/http: TLS handshake timeout
E1120 09:00:00.000000    4242 a.go:1] MountVolume.SetUp failed for volume "db-password" : rpc error: code = Unknown
E1120 09:00:00.000000    4242 a.go:1] MountVolume.SetUp failed for volume "token" : failed to sync configmap cache
E1120 09:00:00.000000    4242 a.go:1] failed to acquire token: StatusCode=400 -- Original Error: x
E1120 09:00:00.000000    4242 a.go:1] error reading bootstrap token: key=/etc/k/pki/kubelet-client-current.pem
I1120 09:00:00.000000    4242 a.go:1] tokenType=Bearer grant_type=refresh_token
E1120 09:00:00.000000    4242 a.go:1] credential provider token: exit=1 code=2
WARNING! Using --password via the CLI is insecure.
<settings pass="specialize"><settings pass="oobeSystem">
I1120 09:00:00.000000    4242 flags.go:64] FLAG: --authentication-token-webhook-cache-ttl="2m0s"
I1120 09:00:00.000000    4242 flags.go:64] FLAG: --tls-private-key-file="C:\var\lib\kubelet\pki\kubelet.key"
I1120 09:00:00.000000    4242 flags.go:64] FLAG: --bootstrap-kubeconfig="C:\k\bootstrap.conf"
I1120 09:00:00.000000    4242 flags.go:64] FLAG: --image-credential-provider-config=""
I1120 09:00:00.000000    4242 flags.go:64] FLAG: --image-credential-provider-bin-dir="C:\k\credential-provider"
I1120 09:00:00.000000    4242 flags.go:64] FLAG: --authorization-mode="Webhook"
I1120 09:00:00.000000    4242 flags.go:64] FLAG: --hostname-override="win-2019-1"
E1120 09:00:00.000000    4242 pod_workers.go:1298] "Error syncing pod, skipping" err="failed to \"StartContainer\" for \"app\" with ErrImagePull: \"failed to authorize: failed to fetch anonymous token: unexpected status: 401 Unauthorized\""
E1120 09:00:00.000000    4242 kuberuntime_image.go:53] "Failed to pull image" err="failed to resolve reference \"r.example/a:1\": pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials"
W1120 09:00:00.000000    4242 kubelet_pods.go:1007] "Unable to retrieve pull secret, the image pull may not succeed." pod="default/web-5d78c9869d-x7k2p" secret="default/regcred" err="secret \"regcred\" not found"
E1120 09:00:00.000000    4242 secret.go:188] Couldn't get secret kube-system/calico-etcd-secrets2: secret "calico-etcd-secrets2" not found
E1120 09:00:00.000000    4242 nestedpendingoperations.go:348] Operation for "{volumeName:kubernetes.io/secret/0b1f3a52-8d7c-4b60-9f6e-7f1d3c2b1a00-tls podName: nodeName:}" failed. No retries permitted until 2026-11-20 09:00:01.0000000 +0000 UTC m=+12.345678901 (durationBeforeRetry 500ms). Error: MountVolume.SetUp failed for volume "tls" (UniqueName: "kubernetes.io/secret/0b1f3a52-tls") pod "web" : secret "web-tls-2024a" not found
E1120 09:00:00.000000    4242 projected.go:192] Error preparing data for projected volume kube-api-access-x7k2p for pod default/web: failed to fetch token: serviceaccounts "default" is forbidden: User "system:node:win-1" cannot create resource "serviceaccounts/token" in API group ""
I1120 09:00:00.000000    4242 token_manager.go:121] "Couldn't update token" token="system:serviceaccount:kube-system:kube-proxy" err="Post \"https://10.0.0.1:6443/api\": dial tcp 10.0.0.1:6443: i/o timeout"
E1120 09:00:00.000000    4242 authentication.go:73] "Unable to authenticate the request" err="[invalid bearer token, service account token has expired]"
I1120 09:00:00.000000    4242 round_trippers.go:463] Authorization: Bearer <masked>
I1120 09:00:00.000000    4242 round_trippers.go:463] User-Agent: kubelet.exe/v1.29.2 (windows/amd64) kubernetes/4b8e819
I1120 09:00:00.000000    4242 reconciler_common.go:245] "operationExecutor.VerifyControllerAttachedVolume started for volume \"kube-api-access-7x2kp\" (UniqueName: \"kubernetes.io/projected/0b1f3a52-8d7c-4b60-9f6e-7f1d3c2b1a00-kube-api-access-7x2kp\") pod \"web\"
error: token: context deadline exceeded
token: unexpected status from GET request to https://auth.example/token?scope=repository%3Ax%3Apull&service=r.example: 401 Unauthorized
Mountable secrets:   default-token-x7k2p
I1120 09:00:00.000000    4242 a.go:1] took 123456.1234567890123456 seconds
I1120 09:00:00.000000    4242 a.go:1] window.requestanimation was called
I1120 09:00:00.000000    4242 a.go:1] duplicate KEY abcDE12345678901 of the index
Tokens:              default-token-x7k2p
Type:  kubernetes.io/service-account-token
TokenExpirationSeconds:  3607
    SecretName:  my-tls-2024
    secretName: web-tls-2024a
  name: kube-api-access-7x2kp
automountServiceAccountToken: false
serviceAccountName: token-reader
authorization:
  mode: Webhook
authorization-mode: Node,RBAC
WWW-Authenticate: Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:x:pull"
Flag --bootstrap-token is deprecated, use --token instead
error: unknown flag: --token
if --password is given, --username is needed
the option --token must not be empty
Logon failure: unknown user name or bad password.
User name or password is incorrect: 0x8007052E
The password for this account has expired: 1330
Password last set            11/20/2026 9:00:00 AM
Password required            Yes
User may change password     Yes
Enter password:
password = getenv("DB_PASSWORD_2")
token = config.get("auth.token2Name")
password = ''
pass: 10
TestX ... pass: 12
KeyUsage = digitalSignature, keyEncipherment
KeyUsage: keyCertSign
Thumbprint: A1B2C3D4E5F60718293A4B5C6D7E8F9012345678
X509v3 Subject Key Identifier: 5F:3B:A1:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00
AuthorityKeyIdentifier=keyid:5F:3B:A1:00
HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\hns\State\Key
RegistryKey: HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion
Key: SYSTEM\CurrentControlSet\Services\vmcompute
key: node.kubernetes.io/not-ready
- key: kubernetes.io/os
PSPath: Microsoft.PowerShell.Core\Registry::HKEY_LOCAL_MACHINE\SOFTWARE
client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM=
certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM=
client-key: C:\var\lib\kubelet\pki\kubelet-client-current.pem
tokenFile: C:\var\run\secrets\kubernetes.io\serviceaccount\token
bearer_token_file: /var/run/secrets/kubernetes.io/serviceaccount/token
credential_process: aws-iam-authenticator
Image ID: docker-pullable://r.example:5000/x@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
https://[fd00::1]:6443/x@y
https://10.0.0.1:6443/api@x
ssh://git@github.com/x/y
mail me@example.com about it
Session ID: 2
sessionid: 3
audit: secretsmanager.amazonaws.com/GetSecretValue was called
$token = $(Get-Content C:\k\token)
$secret = Get-K8sSecret -Name x
$password = Read-Host -AsSecureString
[string]$Token,
param([string]$Password = $env:PW)
--token=${TOKEN}
--token $env:TOKEN
--token %TOKEN%
password: {{ .Values.password }}
password: "****"
password: (masked)
password: REDACTED
token: null
proxy: http://$user:$pass@proxy:3128
nodeStageSecretRef: my-secret-x
msbuild /p:Configuration=Release
robocopy -p x
ls -p x
docker run -p 8080:80 nginx
docker ps -p
net use
net user administrator /active:yes
sc config kubelet start= auto
curl https://10.0.0.1:6443/healthz -k
powershell -ExecutionPolicy Bypass -File C:\k\start.ps1 -Encoding utf8
endpoint id 8c4d2f3e9a7b4c1d8e6f5a4b3c2d1e0f 0b1f3a52-8d7c-4b60-9f6e-7f1d3c2b1a00
resourceVersion: "123456789012"
"Key Management Service" key: value
healthz check poststarthook/bootstrap-controller failed: reason withheld
csrftoken missing
nextToken: 12
continue: eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTIzfQ
time="2026-11-20T09:00:00Z" level=error msg="PullImage failed" error="rpc error: code = Unknown desc = failed to fetch oauth token: unexpected status: 401"
time="2026-11-20T09:00:00.123456789Z" level=info msg="StartContainer for \"8c4d2f3e9a7b4c1d8e6f5a4b3c2d1e0f8c4d2f3e9a7b4c1d8e6f5a4b3c2d1e0f\" returns successfully"
logged in as token: oidc user
Get "https://10.0.0.1:6443/api/v1/namespaces/kube-system/secrets?fieldSelector=metadata.name%3Dregcred&limit=500&resourceVersion=0": dial tcp
secret/regcred created
kubectl get secret regcred -o yaml
kubectl create token default
Using the service account token at /var/run/secrets/kubernetes.io/serviceaccount/token
kubeadm join 10.0.0.1:6443 --discovery-token-ca-cert-hash sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
AccessToken cache expired: refreshing
ntlm: negotiate failed
auth: none
requirepass: true
tokenize=true
the password is wrong
password is required, and password is not set
The specified network password is not correct.
basic_auth: enabled
Server=sql01;Database=web;Trusted_Connection=True;Encrypt=True
https://h/c?x=1\u0026sig=none\u0026y=2
redirect=https%3A%2F%2Fh%2Fc%3Fsig%3Dnone%26token%3D%26x%3D1
PS>ParameterBinding(Get-Item): name="Path"; value="C:\k"
InstrumentationKey is not set
spec.providerID is azure:///subscriptions/00000000-0000-0000-0000-0000000000
`

const innocentJSON = `
{"authorization":{"mode":"Webhook","webhook":{"cacheAuthorizedTTL":"5m0s"}},"authentication":{"webhook":{"enabled":true}}}
{"volumes":[{"name":"x","secret":{"secretName":"web-tls-2024a","defaultMode":420}},{"projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}}]}}]}
{"imagePullSecrets":[{"name":"regcred"}],"secrets":[{"name":"default-token-x7k2p"}],"automountServiceAccountToken":false}
{"env":[{"name":"DB_PASSWORD","valueFrom":{"secretKeyRef":{"name":"db","key":"password"}}},{"name":"MODE","value":"x"}]}
{"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists"}],"nodeSelector":{"kubernetes.io/os":"windows"}}
{"args":["--token-auth-file=C:\\k\\t","--authentication-token-webhook=true","--feature-gates=LegacyServiceAccountTokenNoAutoGeneration=true"]}
{"annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":""}}
{"metadata":{"uid":"0b1f3a52-8d7c-4b60-9f6e-7f1d3c2b1a00","resourceVersion":"123456"},"ID":"8C4D2F3E-9A7B-4C1D-8E6F-5A4B3C2D1E0F"}
{"kind":"ConfigMap","data":{"config":"token: ${TOKEN}\n","namespace":"x"}}
{"aadClientId":"0b1f3a52-8d7c-4b60-9f6e-7f1d3c2b1a00","aadClientSecret":"","tenantId":"0b1f3a52-8d7c-4b60-9f6e-7f1d3c2b1a00","useManagedIdentityExtension":true}
{"path":"C:\\var\\run\\secrets\\kubernetes.io\\serviceaccount\\token","TokenFile":"C:\\x","tokenExpirationSeconds":3607}
{"Policies":[{"Type":"OutBoundNAT","Settings":{"Exceptions":["10.96.0.0/12"]}}],"Key":"x","KeyUsage":"any"}
{"name":"kubelet","env":{"PWD":"C:\\k","KUBE_NETWORK":"l2bridge","NODE_KEY_FILE":"C:\\k\\x.key"}}
{"error":"no password","message":"secret \"regcred\" not found","reason":"token: expired"}
{"type":"kubernetes.io/service-account-token","secretName":"x","credentialSpecName":"gmsa-web1"}
{"exec":{"command":["cmd","/c","type","token"]},"env":[{"name":"A","value":"b-c"}]}
{"exec":{"apiVersion":"client.authentication.k8s.io/v1","env":[{"name":"AWS_STS_REGIONAL_ENDPOINTS","value":"regional"},{"name":"AWS_REGION","value":"us-east-1"}]}}
{"name":"docker.exe","args":["run","-p","8080:80","-p","127.0.0.1:90:80","nginx"]}
{"args":["docker","run","-p","8080:80","-u","1000:1000","nginx"]}
{"name":"net.exe","args":["use","Z:","\\\\h\\s","/persistent:yes"]}
{"args":["net","user","administrator","/active:yes"]}
{"args":["net","stop","kubelet"]}
{"args":["web","-p","kube-system-web","-P","30443"]}
{"args":["msbuild","/p:Configuration=Release","/p:Platform=x64"]}
{"name":"mysqld.exe","args":["--port=3306","-P","3306"]}
{"name":"curl.exe","args":["-k","-u","me","https://10.0.0.1:6443/healthz"]}
{"httpHeaders":[{"name":"X-Meta","value":"v1.2.3-a1b2"},{"name":"Authorization","value":"Bearer $(TOKEN)"}]}
{"args":["config","kubelet","obj=","LocalSystem","start=","auto"]}
{"a":"\u003cb\u003e \/ \u00e9", "n": 1.50e+3 , "t":true,"z":[]}
`

// TestACommandIsNoHeading: what follows it is no row of a table.
func TestACommandIsNoHeading(t *testing.T) {
	const text = "kubectl get configmap,secret -n NAMESPACE\nCreate the object, or correct the name in the template.\n"
	if got := copied(t, fixed(), text, "report.txt"); got != text {
		t.Errorf("got %s", got)
	}
}
