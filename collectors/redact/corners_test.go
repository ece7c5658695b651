package redact

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"
)

// cornerLines are one line each of forms in which monitoring, databases, network devices, installers,
// source code and tables hold a secret: the file, its text with § for the secret, the secret. Somebody
// wrote them from documentation, before the redactor was tried on them.
//
//go:embed testdata/corners.jsonl
var cornerLines string

func TestTheCornersOfForms(t *testing.T) {
	for line := range strings.Lines(cornerLines) {
		var row [3]string
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(row[1], "§", row[2])
		if got := copied(t, fixed(), text+"\n", row[0]); strings.Contains(got, row[2]) || !strings.Contains(got, tokenStart) {
			t.Errorf("%s: %q is left\nof %s\nin %s", row[0], row[2], text, got)
		}
	}
}

// TestAValueIsTakenWhereItIsBroken: a format numbers, measures or folds what it writes. § stands for the secret and
// ‖ for the place where it is broken; neither of its parts may be left.
func TestAValueIsTakenWhereItIsBroken(t *testing.T) {
	const log, conf, yaml, xml = "logs/a.log", "files/C/k/a.conf", "files/C/k/a.yaml", "files/C/k/a.xml"
	const pw, made, hex = "Meadow2024#", "dXlvCbLM9z8VvZdrk57Enngbu9894IzX", "2a3146a2d6e228f255128e9ac010cc8c3e4150b9"
	for name, row := range map[string]struct{ path, text, secret string }{
		"arguments have numbers and lengths":              {log, "ARGS: 0: helm (4 bytes) 8: --password (10 bytes) 9: § (11 bytes) ERROR: x", pw},
		"each argument has a line":                        {log, "ARGS:\n  0: helm (4 bytes)\n  2: --password (10 bytes)\n  3: § (11 bytes)\n\nERROR:\n", pw},
		"arguments have indexes":                          {log, "argv[0]=helm argv[1]=--password argv[2]=§ argv[3]=x", pw},
		"arguments have indexes and quotes":               {log, "argv[1] = \"--password\"\nargv[2] = \"§\"\n", pw},
		"arguments have numbers in brackets":              {log, "  [7] --token\n  [8] §\n  [9] --v=2\n", "sunflower7x"},
		"the audit numbers arguments":                     {log, `type=EXECVE msg=audit(1): argc=3 a0="helm" a1="--password" a2="§"`, pw},
		"a word is before each number":                    {log, "Arg 1: --password\nArg 2: §\n", pw},
		"a program has a flag for it in a numbered list":  {log, "ARGS: 0: mysql (5 bytes) 1: -u (2 bytes) 2: ops (3 bytes) 3: -p§ (13 bytes)", pw},
		"arguments have numbers behind a prefix":          {log, "time=\"x\" msg=\"1: --password (10 bytes) 2: § (11 bytes)\"", pw},
		"quotes go over lines behind a prefix":            {log, "14:02:11   Info     |       sc.exe config \"O\" obj= \"C\\svc\" password= \"§\n14:02:11   Info     |       ‖\"\n", made},
		"quotes go over lines":                            {log, "sc.exe create O obj= \"C\\svc\" password=\"§\n‖\"\n[SC] ok\n", made},
		"quotes go over lines at a hyphen":                {log, "sc.exe create O obj= \"C\\svc\" password=\"violet-copper\n‖§\"\n[SC] ok\n", "-autumn-ginger"},
		"quotes of a setting go over lines":               {log, "password: \"§\n  ‖\"\nuser: x\n", made},
		"quotes go over three lines":                      {log, "--password \"§\n‖\n‖\" --user x\n", made},
		"a flag's quotes go over lines in CRI":            {log, "2026-01-20T09:00:00.1Z stdout F --token=\"§\n2026-01-20T09:00:00.2Z stdout F ‖\"\n", made},
		"YAML folds with a backslash":                     {yaml, "token: \"§\\\n  ‖\"\n", hex},
		"YAML folds three lines with a backslash":         {yaml, "token: \"§\\\n  ‖\\\n  ‖\"\nx: y\n", hex},
		"CLIXML has a key and a value":                    {xml, `<En><S N="Key">Password</S><S N="Value">§</S></En>`, "Oyster-Bay"},
		"CLIXML has them in lines":                        {xml, "<En>\n  <S N=\"Key\">ApiToken</S>\n  <S N=\"Value\">§</S>\n</En>", "k8s-Autumn#90"},
		"CLIXML seals the value":                          {xml, `<En><S N="Key">Password</S><SS N="Value">§</SS></En>`, "0a1b2c3d4e5f60718293a4b5c6d7e8f9"},
		".NET writes a dictionary":                        {xml, "<Item><Key><string>Password</string></Key><Value><string>§</string></Value></Item>", pw},
		"WCF writes a dictionary":                         {xml, "<a:KeyValueOfstringstring><a:Key>Password</a:Key><a:Value>§</a:Value></a:KeyValueOfstringstring>", pw},
		"Pulumi has the plaintext in an object":           {"a.json", `{"adminPassword": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": "\"§\""}}`, "marbleTiger96*"},
		"DynamoDB has a type around the value":            {"a.json", `{"Item": {"password": {"S": "§"}}}`, "sunflower"},
		"Pulumi's object is in a log":                     {log, `state: "adminPassword": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": "§"}`, "marbleTiger"},
		"EC2Launch has the data below the name":           {yaml, "password:\n  type: static\n  data: §\n", "sunflower"},
		"Redis' protocol counts":                          {log, "*2\n$4\nAUTH\n$9\n§\n+OK\n", "sunflower"},
		"Redis' protocol has a user":                      {log, "*3\r\n$4\r\nAUTH\r\n$7\r\ndefault\r\n$9\r\n§\r\n+OK\r\n", "sunflower"},
		"Redis' protocol says hello":                      {log, "*5\n$5\nHELLO\n$1\n3\n$4\nAUTH\n$7\ndefault\n$9\n§\n", "sunflower"},
		"Redis' protocol is in quotes":                    {log, `write "*2\r\n$4\r\nAUTH\r\n$9\r\n§\r\n"`, "sunflower"},
		"Redis' protocol sets a password":                 {log, "*4\n$6\nCONFIG\n$3\nSET\n$11\nrequirepass\n$9\n§\n", "sunflower"},
		"Redis' protocol sets a field":                    {log, "*4\n$4\nHSET\n$2\ndb\n$8\npassword\n$9\n§\n", "sunflower"},
		"a header is folded behind its scheme":            {log, "Proxy-Authorization: Basic\n §\nHost: h\n", "c3ZjLW5vZGU6UGVwcGVyMjAxOCo="},
		"a header is folded behind its name":              {log, "Authorization:\r\n\tBearer §\r\nHost: h\r\n", made},
		"a header is folded behind a prefix":              {log, "> Proxy-Authorization: Basic\n>  §\n> Host: h\n", "c3ZjLW5vZGU6UGVwcGVyMjAxOCo="},
		"a cookie is folded":                              {log, "Cookie: lang=de;\n session=§\nHost: h\n", made},
		"a debugger shows a text in rows":                 {log, "000001d2`f3c01fe0  \"Server=s;User Id=app;Password=§\"\n000001d2`f3c02020  \"‖\"\n0:000> q\n", made},
		"a debugger's row ends within the name":           {log, "000001d2`f3c01fe0  \"Server=s;User Id=app;Pass\"\n000001d2`f3c02020  \"word=§;x=y\"\n", pw},
		"gdb shows a text in rows":                        {log, "0x602010:\t\"Server=s;User Id=app;Password=§\"...\n0x6020d8:\t\"‖;x=y\"\n", made},
		"a wire log writes the end of a line":             {log, `DEBUG wire - http-outgoing-0 >> "X-Vault-Token: §[\r][\n]"`, "oKcg1OAaoiinCmlGiS8Bv0czGoK"},
		"a program is a path in a numbered list":          {log, "ARGS:\n  0: C:\\m\\mysql.exe (14 bytes)\n  1: -uops (5 bytes)\n  2: -p§ (11 bytes)\n", "sunflower"},
		"a debugger shows ASCII in rows":                  {log, "00000001`3fc02020  \"token=§\"\n00000001`3fc02040  \"‖\"\n", made},
		"a header of any name is folded":                  {log, "X-Api-Key:\n §\nHost: h\n", made},
		"a wire log writes a basic login":                 {log, `DEBUG wire - http-outgoing-0 >> "Authorization: Basic §[\r][\n]"`, "c3ZjLW5vZGU6UGVwcGVyMjAxOCo="},
		"a wire log writes a form":                        {log, `DEBUG wire - http-outgoing-0 >> "user=ops&password=§[\n]"`, "sunflower"},
		"a prompt is answered in the next line":           {log, "Enter password for CONTOSO\\svc:\n§\nAccess granted\n", "Bremen2021#"},
		"a prompt asks for a new one twice":               {log, "New password:\n§\nRetype new password:\n§\n", "Bremen2021#"},
		"sudo asks":                                       {log, "[sudo] password for ops:\n§\n", "Bremen2021"},
		"a prompt asks for a passphrase":                  {log, "Enter passphrase for key '/root/.ssh/id_rsa':\n§\nIdentity added\n", "Bremen2021"},
		"a prompt asks somebody to type":                  {log, "Please type your password:\n§\n", "Bremen2021"},
		"a driver of volumes gets short base64":           {log, `mount c:\v {\"kubernetes.io/fsType\":\"\",\"kubernetes.io/secret/password\":\"§\",\"source\":\"x\"}`, "TTM0ZG93"},
		"a driver of volumes gets it without backslashes": {log, `mount c:\v {"kubernetes.io/secret/password":"§","source":"x"}`, "c3VuZmw="},
		"small letters are in brackets behind an account": {log, "Instance credentials (Username: Administrator, Password: §)", "fgjnsgueemnbypaa"},
		"small letters are in a list behind an account":   {log, "login [user: ops, password: §, host: h1]", "fgjnsgueemnbypaa"},
		"the account is behind the password in the list":  {log, "connect (password: §, user: ops)", "fgjnsgueemnbypaa"},
		"a semicolon separates them":                      {log, "Created VM (login: ops; password: §)", "sunflowerfield"},
	} {
		parts := []string{row.secret}
		if n := strings.Count(row.text, "‖"); n > 0 && len(row.secret) > 20 {
			parts = nil
			for i := range n + 1 {
				parts = append(parts, row.secret[i*len(row.secret)/(n+1):(i+1)*len(row.secret)/(n+1)])
			}
		}
		text := strings.ReplaceAll(row.text, "§", parts[0])
		for _, part := range parts[1:] {
			text = strings.Replace(text, "‖", part, 1)
		}
		text = strings.ReplaceAll(text, "‖", "")
		got := copied(t, fixed(), text, row.path)
		for _, part := range parts {
			if strings.Contains(got, part) || !strings.Contains(got, tokenStart) {
				t.Errorf("%s: %q is left\nof %s\nin %s", name, part, text, got)
			}
		}
	}
}

// TestWhatIsLikeABrokenValueStays: the same formats, and nothing to hide in them.
func TestWhatIsLikeABrokenValueStays(t *testing.T) {
	for name, row := range map[string]struct{ path, text string }{
		"a numbered list goes on with the next flag": {"logs/a.log", "1: --token (7 bytes) 2: --v=2 (5 bytes)"},
		"numbers do not follow each other":           {"logs/a.log", "step 1: --password was read\nstep 7: installed\n"},
		"a file's name follows in a numbered list":   {"logs/a.log", "argv[1]=--token-file argv[2]=C:\\k\\t"},
		"a quote is never closed":                    {"logs/a.log", "failed to read \"password\nthe next line says \"ok\"\n"},
		"an empty text follows in quotes":            {"logs/a.log", "password: \"\nnext line\" x\n"},
		"a dictionary has another key":               {"files/a.xml", `<En><S N="Key">Port</S><S N="Value">https-443</S></En>`},
		"an object says what a password must be":     {"files/a.json", `{"password": {"type": "string", "format": "password"}}`},
		"a number of a reply is no password":         {"logs/a.log", "*1\n$4\nPING\n+PONG\n"},
		"a header is empty":                          {"logs/a.log", "Authorization:\nHost: h1.corp.example\n"},
		"a prompt of a router follows":               {"logs/a.log", "Password:\nsw-01#show version\nsw-01#exit\n"},
		"a message follows a prompt":                 {"logs/a.log", "Enter password for ops:\nAccess denied\n"},
		"an address in quotes ends in a name":        {"logs/a.log", `POST "/v1/auth/token": "bad request"`},
		"data stands beside a name":                  {"files/a.json", `{"data":"disk pressure on node","name":"auth-token"}`},
		"a wire log ends its lines":                  {"logs/a.log", `http-outgoing-0 >> "Authorization: Bearer[\r][\n]"`},
		"an address ends in a name":                  {"logs/a.log", `Post "https://h1/v1/token": dial tcp 10.0.0.1:443: i/o timeout`},
		"the list says how it is":                    {"logs/a.log", "login (user: ops, password: provided)"},
		"the list says that it is read":              {"logs/a.log", "login (user: ops, password: unchanged)"},
		"a checksum rolls pods":                      {"files/a.yaml", "checksum/secret: 6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b\n"},
		"a checksum has a name with a dash":          {"files/a.yaml", "checksum/tls-secret: 6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b\n"},
		"a checksum stands in an object":             {"files/a.json", `{"checksum/secret": "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"}`},
		"a checksum stands in a log":                 {"logs/a.log", `annotations="checksum/secret": "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"`},
		"containerd names a layer that it unpacks":   {"logs/a.log", "snapshotter key=k8s.io/412/extract-918273645-Q3Zd sha256:9f86d081"},
		"containerd names a layer":                   {"logs/a.log", "snapshot key=k8s.io/41/sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
		"containerd names a container's layer":       {"logs/a.log", "remove key=moby/7/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08-init"},
		"Terraform refers to a resource":             {"files/a.tf", "key_vault_secret_id = azurerm_key_vault_secret.cert.id\n"},
		"Terraform refers to one of several":         {"files/a.tf", "secret_id = aws_secretsmanager_secret.db2[0].id\ntoken = kubernetes_secret.this[\"a\"].data.token\n"},
		"all but the end is masked":                  {"logs/a.log", "api_key: ***************************aaaaa"},
		"all but both ends are masked":               {"logs/a.log", "token: ghp_************Xy9Z\n"},
		"all but the end is masked with letters":     {"logs/a.log", "client_secret=xxxxxxxxxxxxxxxxQ7z9"},
		"Redis has an example in its configuration":  {"files/redis.conf", "# requirepass foobared\n"},
		"Java has a password that is to be changed":  {"files/a.conf", "# password = changeit in the docs; set by the installer\n"},
	} {
		if got := copied(t, fixed(), row.text, row.path); got != row.text {
			t.Errorf("%s: got %s\nfrom %s", name, got, row.text)
		}
	}
}
