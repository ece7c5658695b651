package redact

import (
	"fmt"
	"strings"
	"testing"
)

// TestASecretIsTakenWhereItsFormatSaysSo: formats, names and wrappings in which secrets once came
// through. § stands for the secret.
func TestASecretIsTakenWhereItsFormatSaysSo(t *testing.T) {
	const pw, phrase, hex = "Tr0ub4dor&3x", "copper turtle purple", "05dd2080c9fddc1e882cd724"
	const made = "2U96wgVNAAjRKIxBDGBjFSvP0pLBJtL3yWrnKH2OmYLiXaC7"
	const log, conf = "logs/a.log", "files/C/k/a.conf"
	cri := func(second int) string { return fmt.Sprintf("2026-01-20T09:00:0%d.123456789Z stdout F ", second) }
	for name, row := range map[string]struct{ path, text, secret string }{
		"a user of SNMP's security has a key":        {conf, "snmp-server user ops ADM v3 auth sha §", pw},
		"and one for privacy":                        {conf, "  auth sha Tr0ub4dor&3x\n  priv aes 256 §\n", "22ek3nh1"},
		"ipsec.secrets has a comment":                {"a.secrets", `: XAUTH "§" # of the branch`, pw},
		"an answer file is cut off above":            {"a.xml", "  <Value>§</Value>\n  <PlainText>true</PlainText>\n", pw},
		"an answer file has a comment":               {"a.xml", "<AdministratorPassword> <!-- set it -->\n <Value>§</Value>", pw},
		"a value has a quote in it":                  {"a.properties", "%prod.db.password=M\"v!lZAqYjrEgL1§\n", "x7"},
		"lftp logs in within a text":                 {"a.sh", "lftp -c 'open 10.0.0.9;user ops §;mirror / /b'", pw},
		"winexe takes it behind a percent sign":      {"a.sh", "winexe -U ops%§ //10.0.0.9 'ipconfig'", pw},
		"rasdial stands in a call":                   {"a.py", `os.popen("rasdial vpn ops §")`, pw},
		"Oracle's driver takes an account":           {"a.py", "c = cx_Oracle.connect('system/§@h1:1521/XE')", pw},
		"a URL has no host":                          {"a.py", `"postgresql+asyncpg://ops:§@/shop?host=h1"`, made},
		"a manual has names in brackets":             {"a.md", `--proxy="http://[user]:§@[host]:[port]"`, pw},
		"a name stands in the brackets of a call":    {"a.vbs", `el("adPassword") = "§"`, pw},
		"Splunk has a key of its own name":           {"a.conf", "pass4SymmKey = §", "1l1lh8b8"},
		"Ansible seals a text":                       {"a.sh", "ansible-vault encrypt_string '§' --name 'db'", phrase},
		"a router has a key":                         {conf, "tacacs-server key 7 §", pw},
		"GitHub gets what it is to mask":             {log, "::add-mask::§", pw},
		"a broker has users":                         {conf, "PlainLoginModule required\n user_ops=\"§\";", phrase},
		"Terraform made it":                          {"a.tfstate", "\"type\": \"random_password\", \"result\": \"§\"", phrase},
		"Docker gets a secret from a pipe":           {"a.sh", "printf '§' | docker secret create db -", phrase},
		"a service is made of a command":             {"a.cmd", `sc.exe create x binPath= "net user ops §" start= auto`, pw},
		"a value is the default in another language": {"a.md", "Пароль по умолчанию: §", pw},
		"something starts with its password":         {log, "Starting IDE with password §", "1lcgsny0"},
		"SSH.com has keys of its own":                {"a.key", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"ops\"\n§\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n", made},
		"a source of packages has a password":        {"a.sh", "dotnet nuget add source https://h/v3/index.json -n corp -u ops -p § --x", "hunter2x"},
		"any program takes -P beside -U":             {"a.cmd", `bcp Shop.dbo.Nodes out C:\o.dat -S db1 -U ops -P §`, hex},
		"a client of MQTT takes -P":                  {log, "mosquitto_pub -h b1 -u ops -P § -t node/x -m up", "swordfish"},
		"a hosted network has a key":                 {"a.cmd", "netsh wlan set hostednetwork mode=allow ssid=lab key=§", "swordfish"},
		"a drive is mapped with a password":          {"a.vbs", `net.MapNetworkDrive "Z:", "\\h\s", False, "ops", "§"`, "sword fish"},
		"a certificate on a drive has a password":    {"a.ps1", `New-Object X509Certificate2("C:\certs\a.pfx", "§", "Exportable")`, pw},
		"SQL*Plus connects with a phrase":            {"a.sql", "CONNECT ops/\"§\"@shop", phrase},
		"MySQL names a plugin before BY":             {log, "ALTER USER 'ops'@'%' IDENTIFIED WITH mysql_native_password BY '§'", phrase},
		"Oracle needs no quotes behind BY":           {"a.sql", "CREATE USER ops IDENTIFIED BY § DEFAULT TABLESPACE users;", "ngQ2h02qlGQY"},
		"a user of SNMP has a phrase":                {conf, `createUser ops SHA "§" AES "swordfish7x"`, phrase},
		"a phrase in quotes goes on a flag":          {log, "mysql -uops -p'§' shop", phrase},
		"ftp logs in with user":                      {"a.txt", "open h1\nuser ops §\nbinary\n", "Munich2024$"},
		"Redis has users in its configuration":       {conf, "port 6379\nuser build on >§ ~* +@all\n", "swordfish"},
		"a client of FTP sends a phrase":             {log, "---> USER ops\n331 Password required\n---> PASS §\n230 ok\n", phrase},
		"IIS logs a query in a column of its own":    {log, "2025-03-05 09:15:43 W3SVC1 10.1.1.1 GET /hook key=§ 443 - 200", "8BmXYBubkgK3lnnyoIHO0esnsnFqupa8"},
		"a tilde begins a value":                     {log, "Invalid client secret provided. client_secret=§ app 1", "~La8Q~vQIOPxWxqyOxIYe190POPSkk7H3PR9twPO"},
		"SAML's answer is a secret":                  {log, "SAMLResponse=§&RelayState=x", "PHNhbWxwOlJlc3BvbnNlIElEPSJfYjgzODc3NzY2%2B"},
		"a key of IPsec is shared":                   {"a.yaml", "- name: FELIX_IPSECPSK\n  value: §\n", "Granite.canyon-48"},
		"Redis has a password in the environment":    {"a.yaml", "- name: REDIS_AUTH\n  value: §\n", "Puzzle-meadow-14"},
		"hadoop says pass behind proxy":              {"a.xml", "<property><name>hadoop.proxy.pass</name><value>§</value></property>", "swordfish7*"},
		"a key of plist is a token":                  {"a.xml", "<dict>\n  <key>apiToken</key>\n  <string>§</string>\n</dict>", "k8s-Autumn#90"},
		"Terraform makes a password":                 {"a.tfstate", `{"type":"random_password","instances":[{"attributes":{"length":24,"result":"§"}}]}`, "-Tth)d_#?CFzqtK1eS(WRc!M"},
		"a plan tells the new value too":             {log, `~ password = "Januar@9147" -> "§"`, "Corp2023$"},
		"an object is named Jwt and its value Key":   {"a.json", `{"Jwt":{"Issuer":"corp","Key":"§"}}`, made},
		"a header is a list in JSON":                 {log, `{"headers":{"Authorization":["§"],"Accept":["*/*"]}}`, made},
		"a volume's driver gets secrets of any name": {log, `secrets:<key:"adminKey" value:"§" > secrets:<key:"username" value:"ops" >`, "P@$$word82"},
		"dots lead to a value":                       {log, "com.zaxxer.hikari - password..............§", "zdbCnpF2pytprzhKu"},
		"dots lead to a value in a column":           {"a.txt", "User name ............ ops\nAPI key .............. §\n", "Server@7190"},
		"base64 stands behind a name with base64 in it": {"a.env", "APP_CONFIG_B64=§\n",
			"Q29ubmVjdGlvblN0cmluZz1TZXJ2ZXI9c3J2LWFwcDQ5O1VzZXIgSWQ9YnVpbGQ7UGFzc3dvcmQ9SGFyYm9yLXM3c0Y2ejs="},
		"a key of Azure is the value of a query":       {log, "GET https://h/v1/hook?x=§&n=1 404", "Po2XuWu3G32EGJhhHdSxTULhJSUeb1+L2AIoTA8cog4="},
		"Vault's old tokens begin with s and a dot":    {log, "can you try § on the new node?", "s.gA533xCKHC9dfHN5L9xKOkk7"},
		"a bold name in Markdown":                      {"a.md", "- **User:** ops\n- **API key:** `§`\n", "V3lv3t424#"},
		"a bold name before its colon":                 {"a.md", "**Password**: §\n", pw},
		"a bold name of a page":                        {"a.html", "<b>Token:</b> §<br/><b>Host:</b> h1", "P@ssw0rd2535"},
		"a bold value of a page":                       {"a.html", "<p>Your new password is <b>§</b></p>", "Corp@5063"},
		"a row of a page":                              {"a.html", "<tr><th>User</th><td>ops</td></tr><tr><th>API token</th><td>§</td></tr>", "planet489!"},
		"a list of a page":                             {"a.html", "<dl><dt>Password</dt><dd><code>§</code></dd></dl>", "584ce4842d79948b"},
		"a property goes on in the next line":          {"a.properties", "db.password \\\n    = §\n", "hockey5563?"},
		"a name of two words has its value in columns": {"a.txt", "   user        =  ops\n   secret key  =  §\n", "Qwer!2795tyui"},
		"a row does not meet its heading":              {"a.txt", "NAME        USER       PASSWORD          AGE\nportal     k8sadmin   §   3d\n", "Harbor@0572"},
		"a CSV's heading is quoted":                    {"a.csv", "\"Title\",\"Username\",\"Password\",\"URL\"\n\"x\",\"ops\",\"§\",\"https://h\"\n", "summit rocket anchor"},
		"a CSV's heading says pwd":                     {"a.csv", "host;user;pwd;port\nh1;ops;§;22\n", "maple4787?"},
		"a shell answers":                              {log, "PS C:\\> $cred.GetNetworkCredential().Password\n§\nPS C:\\>", "NNz5LsFQ32IPc"},
		"cmd answers":                                  {log, "C:\\k>echo %DB_PASSWORD%\n§\nC:\\k>", "swordfish7"},
		"PHP writes lengths":                           {"a.txt", `a:1:{s:8:"password";s:9:"§";}`, "swordfish"},
		"a program asks again":                         {log, "Password (again): §", "ddl3494*"},
		"curl has a configuration":                     {"files/C/Users/ops/.curlrc", "user = \"ops:§\"\n", "swordfish"},
		"mail has soft line breaks":                    {"a.eml", "Content-Transfer-Encoding: quoted-printable\n\nits api_key=3D4GbOmAvZ5=\n§ until May.\n", "32jfVyejlp0e5RozQ2KHB"},
		"mail folds base64 anywhere": {"a.eml", "\n§\nSHRjYjU3Z0pGYjl2Y25xN2JJZAo=\n",
			"Q29ubmVjdGlvblN0cmluZz1TZXJ2ZXI9Z2l0MTE7VXNlciBJZD1henVyZXVzZXI7UGFzc3dvcmQ9"},
		"a key of .NET has private numbers": {"a.xml", "<RSAKeyValue><Modulus>Ch0l90HWo6PQ57x5</Modulus><D>§</D></RSAKeyValue>",
			"sZyFKfdFKYs3yt0MMDuJwXdLUzy1QcrDtphvaOfbTNebPMpB7hMJhLaq0MF+mhFp"},
		"a name of user secrets has a section":                {"a.sh", `dotnet user-secrets set "Smtp:Password" "§"`, phrase},
		"SQL*Plus knows a user with a dash":                   {"a.sql", "CONNECT svc-k8s/\"§\"@shop", "WJlqsCZdefZXn"},
		"fluent-bit has a GUID for Splunk":                    {conf, "[OUTPUT]\n    Name splunk\n    Splunk_Token §\n", "cedb7898-4eb0-42c8-8727-509829f7344f"},
		"Serilog writes an object":                            {log, `[09:15:42 INF] Loaded { User: "ops", ApiKey: "§", Retry: 3 }`, phrase},
		"Node writes an object over lines":                    {log, "config: {\n  user: 'ops',\n  password: '§',\n  port: 5432\n}", "Januar summit 083$"},
		"a key of Azure ends an address":                      {log, "POST https://h/in/§ 200 12ms", "IVojXmy43NWnpzsGgupfnckheqZptrhHA+ASbCZwW4S="},
		"a value of YAML has an anchor":                       {"a.yaml", "x-pw: &secret §\ndb:\n  secret: *secret\n", "Silver.granite-17"},
		"kustomize makes a Secret of literals":                {"a.yaml", "secretGenerator:\n- name: shop\n  literals:\n  - username=ops\n  - a=§\nx: y\n", "k8s-Dallas#57"},
		"net makes a password of hexadecimal digits":          {"a.txt", "C:\\> net user ops /add /random\nPassword for ops is: §\n", "972c3e33ecb1636c91c3f4c917f6b62c"},
		"letters of both cases log in":                        {log, "a001 LOGIN ops §", "XorDrgJSeIZKg"},
		"letters of both cases are in a struct":               {log, "config: &{User:ops Password:§ Timeout:30s}", "UbjQGNtJzifNg"},
		"letters of both cases are in a list of names":        {log, "Name                           Value\n----                           -----\nAPI_TOKEN                      §\n", "ncoEMUganINMR"},
		"a table is drawn with lines":                         {"a.txt", "│ Key      │ Value    │\n├──────────┼──────────┤\n│ Password │ § │\n", "pZkgppXwhYotQ"},
		"PowerShell lists properties":                         {"a.txt", "\nUserName : ops\nApiKey   : §\nHost     : h1\n", phrase},
		"the registry has a text in bytes":                    {"a.reg", "\"Password\"=hex:§\n\"Port\"=dword:00000001\n", "31,00,38,00,64,00,33,00,39,00,00,00"},
		"a sentence is French":                                {"a.txt", "Le jeton est §", "k8s-Munich#30"},
		"a secret of Entra ID has signs in front":             {log, "first, §, last", "P.k7Q~Ds3vwFJeyhYDaRpN98wZRmZYGnIPUh41FO"},
		"a bot of Discord is in an address":                   {log, "POST https://h/in/§ 200", "MGimFhxAsap3CF3bEGEFWZgrTB.GIOom3.EnlqZOLo3ZbI-zmNfq7H37hLjDTGQQ6oF39PTQ"},
		"a question mark and a dot are in a value":            {"a.yaml", "- name: REDIS_AUTH\n  value: §\n", "n1qu8xz.fA?.NB@CQv@u"},
		"a Secret is printed to a container's log":            {log, cri(0) + "kind: Secret\n" + cri(1) + "data:\n" + cri(2) + "  blob: §\n" + cri(3) + "type: Opaque\n", "cGlPYVBUUnVUTw=="},
		"a value stands before its name in a container's log": {log, cri(0) + "    - value: §\n" + cri(1) + "      name: ORACLE_PWD\n" + cri(2) + "x\n", "H0ck3y823*"},
		"a name ends a line of a container's log":             {log, cri(0) + "    - name: KEYSTORE_PWD\n" + cri(1) + "      value: \"§\"\n", phrase},
		"an element goes on in a container's log":             {log, cri(0) + "<Password>\n" + cri(1) + "  <Value>§</Value>\n", "ZnQFnZOvuoSPQQ"},
		"a command goes on in a container's log":              {log, cri(0) + "sqlcmd -S h1 `\n" + cri(1) + "  -U sa -P `\n" + cri(2) + "  § `\n" + cri(3) + "  -Q x\n", "Marble-bishop-65"},
		"POP3 is spoken in a container's log":                 {log, cri(0) + "USER ops\n" + cri(1) + "+OK\n" + cri(2) + "PASS §\n", "677f67cecf9031d3"},
		"a key of PuTTY is printed to a container's log":      {log, cri(0) + "Private-Lines: 1\n" + cri(1) + "§\n", "ETUnUj3Mv1s9Vp2KJz9Vs2hHLM04IPlsyJrkhlz5giiuGf0B37jxUr67jZ6D2yk"},
		"a command is in the second text of an object":        {log, cri(0) + `{"NewProcessName":"C:\\Windows\\schtasks.exe","CommandLine":"schtasks /create /tn a /ru C\\ops /rp §"}`, "Oktober@9683"},
		"a type stands between a name and its value":          {log, cri(0) + `{"name":"sqlPassword","type":"SecureString","value":"§"}`, "29czgTwxDtt"},
		"a name in Spanish is quoted":                         {log, cri(0) + `{"host":"h1","clave":"§","port":22}`, "Munich@9999"},
		"a key is printed in quotes, a line a message":        {log, "{\"msg\":\"  '-----BEGIN DSA PRIVATE KEY-----\\\\n' +\"}\n{\"msg\":\"  '§\\\\n' +\"}\n", "E424XP23l8bCqFtQO5ssF88HnJ9EYEbrptdQp5r2emEor1N2azDrDucdxjCvuncV"},
		"a tab is escaped before an issuer's letters":         {log, cri(0) + `"message": "eu\tgldt-p8xGeQrpymb7CNZ22Q9P\t§"`, "gldt-p8xGeQrpymb7CNZ22Q9P"},
		"an address alone in an element lets in":              {log, cri(0) + "<hooks.slack.comToken>\n" + cri(1) + "    https://h/services/§\n" + cri(2) + "</hooks.slack.comToken>\n", "hxZhqi3MDnOaV6auIxR7QzG2jAi11nx7SDbqkEBzSaW7"},
		"a password in quotes has the sign of a host":         {"a.sql", "CONNECT ops/\"§\"@shop", "M@pl3494$,NtX8"},
		"a sensor of CrowdStrike has a token of digits":       {"a.cmd", "WindowsSensor.exe /install /quiet CID=PTOBMFZ7AKGODZLEZITA2OQP942G8Q35-7F ProvToken=§", "53470003"},
		"a colon ends a token of no known issuer":             {log, "upstream rejected acme_sec_§: 401", "rQvbuJS4dlifNSqf8ClsQAFCB82HlHIUsiS04E2kBoMLmYAJ"},
		"a template adds to a text":                           {"a.yml", `test_password: '{{ "§" + lookup("x") }}'`, "password123!"},
		"the key's name is Chinese":                           {log, "金鑰：§", "Rancher2026@"},
		"the token's name is Chinese":                         {"a.json", `{"權杖":"§"}`, "AxMeqb2W8MDM"},
		"the key's name is Japanese":                          {conf, "秘密鍵=§\n", "RISEIG_7po8L1"},
		"a sentence is Korean":                                {"a.txt", "관리자 API 키는 § 입니다", "HRx!amuwQvsxa"},
		"the token's name is Korean":                          {conf, "토큰=§\n", "f43e3b41e7903b00"},
		"the key's name is Russian":                           {log, "секретный ключ=§ port=22", "3534547a5abaa10901c23c4d3c699786"},
		"a name of JSON is Portuguese":                        {"a.json", `{"chave de API":"§"}`, "candle19492!"},
		"the password's name is Italian":                      {"a.json", `{"parola chiave":"§"}`, "91ffe2f8fc4681e5646f9170"},
		"a sentence is Italian":                               {"a.txt", "La chiave API è §", "mUbaX!4OOA8Ea"},
		"a sentence is Polish":                                {"a.txt", "tajny klucz to §", "Passw0rd!6385"},
		"a variable's name is Spanish":                        {"a.py", "clave_api = '§'\n", "summit754*"},
		"neon, endor and langfuse have own":                   {log, "used §", "sk-lf-9bb5a5fa-af7a-4895-895c-b6ebc36dc157"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(row.text, "§", row.secret)
			if got := copied(t, fixed(), text, row.path); strings.Contains(got, row.secret) ||
				!strings.Contains(got, tokenStart) {
				t.Errorf("%q is left\nof %s\nin %s", row.secret, text, got)
			}
		})
	}
}

// TestWhatOnlyResemblesASecretStays: what code and documents hold where a secret would stand.
func TestWhatOnlyResemblesASecretStays(t *testing.T) {
	for name, row := range map[string]struct{ path, text string }{
		"a variable stands behind a scheme":         {"a.ps1", `$h = @{"Authorization" = "Basic $base64AuthInfo" }`},
		"a placeholder is an attribute's value":     {"a.md", "<add key=\"ClearTextPassword\" value=\"<password>\" />\n</x>"},
		"a heading names a flag of a cmdlet":        {"a.md", "### `Get-PfxCertificate -Password`\n\n`Get-PfxCertificate` now has it."},
		"a picture is made from base64":             {"a.ps1", "$i = [Convert]::FromBase64String('iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB')"},
		"a command makes the password":              {"a.sh", `echo "ubuntu:$(head -c 18 /dev/urandom | base64)" | chpasswd`},
		"a usage text has brackets":                 {"a.md", "antctl mc get joinconfig [--member-token TOKEN_NAME] [-n NAMESPACE]"},
		"a script runs a program for a token":       {"a.ps1", "$AccessToken = az account get-access-token --query accessToken"},
		"a script runs a function for a password":   {"a.ps1", "$userPassword = GetRandomString"},
		"-p takes a pattern of files":               {"a.yml", "gh release download -R x/y -p 'protoc-*-win32.zip' -O a.zip"},
		"-NE compares":                              {"a.ps1", "Get-Feature | Where-Object Name -NE PS7DscSupport"},
		"a table names the file of a controller":    {"a.md", "| Secret | `secret_controller.go` | x |"},
		"a placeholder begins a path":               {"a.sh", "#   EXT_KEY=<kind-dir>/external-node-key"},
		"a setting names the key of an object":      {"a.yaml", "k8s_secret_password: flow-visibility/clickhouse-secret/password"},
		"a message tells of a password":             {"a.yml", `failed_when: 'change_password_without_user.msg != "missing parameter(s) required by x"'`},
		"a field of Go has a type":                  {"a.go", "\tPassword *uint16\n"},
		"a participle follows in French":            {"a.md", "le mot de passe est chiffré avec bcrypt"},
		"a number of two digits is no key":          {"a.json", "{\"apiKey\": 71}"},
		"a page begins with a token":                {"a.sh", "aws s3api list-objects --starting-token eyJNYXJrZXIiOiBudWxsfQ=="},
		"a shell command goes on in the next line":  {"a.sh", "adduser \\\n  --disabled-password \\\n  app\n"},
		"a secret of a build has an id":             {"a.md", "docker build --secret id=nugetconfig,src=nuget.config ."},
		"nginx passes to a proxy":                   {"a.conf", "proxy_pass http://backend7a;\n"},
		"a method's receiver is s":                  {"a.go", "if s.reconcileControlPlane7Id() {"},
		"a column says what a page's name is for":   {"a.html", "<tr><td>Password</td><td>Optional text</td></tr>"},
		"a name of a program has capitals":          {"logs/a.log", "the password is checked by kubeAPIServer"},
		"a generator of objects is no Secret's":     {"a.yaml", "configMapGenerator:\n- literals:\n  - mode=x7!bcdefg\n"},
		"a bold name has a sentence":                {"a.md", "- **Password:** Use the admin password.\n- **PluginInput**: Plug-in specific input for it.\n"},
		"a table says what a flag is for":           {"a.md", "| `--etcd-s3-access-key` |  S3 access key |"},
		"a heading has an anchor":                   {"a.md", "## 러너 인증 토큰으로 등록 {#register-with-a-runner-authentication-token}"},
		"a comment stands below another setting":    {"a.yml", "#    users    : x\n#    secret   : # Encrypt your password by going to https://h/<your-site-secret>\n"},
		"a text is formatted":                       {"a.go", "klog.Infof(\"IPsec PSK value: %s\", i.networkConfig.PSK)"},
		"a file of accounts cannot be read":         {"logs/a.log", "cat: /host/etc/passwd: Permission denied"},
		"sudo says in which folder it was":          {"logs/a.log", "TTY=pts/1 ; PWD=/home/ops7/x2 ; USER=root ; COMMAND=/bin/ls"},
		"a parameter of a stack has a key":          {"a.md", "ParameterKey=PrivateSubnet01Block,ParameterValue=192.168.0.64/27"},
		"a variable has a program's name in it":     {"a.sh", "kubectl patch db ${AKS_MONGODB_NAME} --type=merge -p '{\"spec\":{\"pause\": true}}'"},
		"a file of a repository is in webhook":      {"a.md", "https://github.com/x/y/blob/master/webhook/manifests/50-deployment-v2.yaml"},
		"a program waits":                           {"logs/a.log", "Waiting for token... done"},
		"a sentence speaks of who is identified":    {"logs/a.log", "the container identified by 8c4d2f3e9a7b is gone"},
		"a cache has a key":                         {"logs/a.log", "lookup key=8BmXYBubkgK3lnnyoIHO0esnsnFqupa8 done"},
		"volumes have names of accounts":            {"logs/a.log", `secrets:<key:"username" value:"ops7a" >`},
		"a connection to an address is no SQL*Plus": {"logs/a.log", "connect tcp/ip to h1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := copied(t, fixed(), row.text, row.path); got != row.text {
				t.Errorf("got %s\nfrom %s", got, row.text)
			}
		})
	}
}

// TestAnEmptyMessageFollowsBase64: what a log wrote before is read again with each message, and
// nothing of it is taken where the message begins.
func TestAnEmptyMessageFollowsBase64(t *testing.T) {
	const text = `{"msg":"userdata: Q29ubmVjdGlvblN0cmluZz1TZXJ2ZXI9Z2l0MTE7VXNlciBJZD1henVyZXVzZXI"}` + "\n" +
		`{"msg":""}` + "\n" + `{"msg":"done"}` + "\n"
	if got := copied(t, fixed(), text, "logs/a.log"); got != text {
		t.Errorf("got %s", got)
	}
}
