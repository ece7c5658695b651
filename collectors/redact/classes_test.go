package redact

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestEachClassOfLeaksIsClosed: the surroundings in which secrets once came
// through. § stands for the secret.
func TestEachClassOfLeaksIsClosed(t *testing.T) {
	const pw, log, conf = "Tr0ub4dor&3x", "logs/a.log", "files/a.conf"
	const github = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	hex := strings.Repeat("a1b2c3d4e5f60718", 4)
	b64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	for _, row := range []struct{ path, text, secret string }{
		// Colors, letters and signs that are not ASCII, names in other languages.
		{log, "\x1b[31m§\x1b[0m", github}, {log, "令牌：§", github}, {log, "值§值", github},
		{log, "token：§", "abcDEF123456xyz"}, {log, "密码：§", pw}, {log, "密码为 §", pw},
		{log, "用户密码=§", pw}, {log, "口令: §", pw}, {log, "密钥：§", hex}, {log, "password＝§", pw},
		{log, "パスワード：§", pw}, {log, "パスワード=§", pw}, {log, "Kennwort: §", pw},
		{log, "Passwort lautet §", pw}, {log, "das Passwort ist §", pw}, {log, "mot de passe : §", pw},
		{log, "le mot de passe est §", pw}, {log, "contraseña: §", pw}, {log, "la contraseña es §", pw},
		{log, "clave secreta = §", hex}, {log, "senha: §", pw}, {log, "a senha é §", pw},
		{log, "пароль: §", pw}, {log, "Пароль = §", pw}, {log, "password: “§”", pw},
		{log, "密码是“§”", pw}, {log, "haslo=§", pw},
		// Lines behind what a log writes before them.
		{log, `2026-11-20T09:00:00.123456789Z stdout F   "password": "§",`, pw},
		{log, `I1120 09:00:00.000000    4242 a.go:1]   "token": "§",`, "abcDEF123456xyz"},
		{log, `web-1  |   "password": "§",`, pw},
		{log, `2026-11-20T09:00:00.1Z stdout F   "password": "§"`, "swordfish"},
		{log, "2026-11-20T09:00:00.1Z stdout F password: |\n2026-11-20T09:00:00.2Z stdout F   §\n", "swordfish"},
		{log, "2026-11-20T09:00:00.1Z stdout F - name: DB_PASSWORD\n2026-11-20T09:00:00.2Z stdout F   value: §\n", "swordfish"},
		{log, `{"password": {"value": "§"}}`, pw}, {"files/a.yaml", "password:\n  value: §\n", "swordfish"},
		{"files/a.yaml", "password:\n  §\nuser: x\n", "swordfish"},
		{"files/a.yaml", "token: >-\n  §\n", hex}, {"files/a.yaml", "password: !!str §\n", "swordfish"},
		{log, `with password "§" for x`, pw}, {log, `using password '§'`, pw},
		{log, `password was changed to §`, pw}, {log, `the token is "§"`, "abcDEF123456xyz"},
		// What sets a name.
		{log, `reg add HKLM\SOFTWARE\X /v DefaultPassword /t REG_SZ /d § /f`, "swordfish"},
		{log, `reg.exe add "HKLM\SOFTWARE\X" /v DefaultPassword /d "§"`, "sword fish"},
		{log, `Set-ItemProperty -Path HKLM:\X -Name DefaultPassword -Value §`, "swordfish"},
		{log, `New-ItemProperty -Path HKLM:\X -Name "DefaultPassword" -Value "§"`, "sword fish"},
		{log, `setx DB_PASSWORD "§" /M`, "sword fish"}, {log, `setx /M DB_PASSWORD §`, "swordfish"},
		{log, `[Environment]::SetEnvironmentVariable('DB_PASSWORD','§')`, "swordfish"},
		{log, `[System.Environment]::SetEnvironmentVariable("API_TOKEN", "§", "User")`, hex},
		{log, `Set-Item env:DB_PASSWORD §`, "swordfish"}, {log, `Set-Item -Path env:DB_PASSWORD -Value '§'`, "swordfish"},
		{log, `New-Item env:\DB_PASSWORD -Value §`, "swordfish"}, {log, `os.Setenv("DB_PASSWORD", "§")`, "swordfish"},
		{log, `headers.Add("Authorization", "Basic §")`, b64("me:" + pw)},
		{log, `headers.Add("X-Api-Key", "§")`, hex}, {log, `req.Header.Set("Authorization", "Bearer §")`, hex},
		{log, `DB_PASSWORD+=§`, pw}, {log, `DB_PASSWORD ?= §`, pw}, {log, `if ($password -eq "§")`, pw},
		{log, `if password == "§" {`, pw}, {log, `password := "§"`, pw}, {log, `'password' => '§'`, pw},
		{log, `git config --global user.password §`, pw}, {log, `aws configure set aws_secret_access_key §`, strings.Repeat("a1B2c3D4", 5)},
		// Tables and lists.
		{log, "Name                           Value\n----                           -----\nDB_PASSWORD                    §\n", pw},
		{log, "DB_PASSWORD                    §\nPATH  C:\\k\n", pw},
		{"files/a.csv", "user,password,host\nme,§,db1\nyou,x9x9x9x9,db2\n", pw},
		{"files/a.csv", "\"Name\",\"Value\"\n\"DB_PASSWORD\",\"§\"\n", "sword fish"},
		{log, "| user | password |\n|------|----------|\n| me   | § |\n", pw},
		{log, "| DB_PASSWORD | § |", pw}, {log, "User     Password\n----     --------\nme       §\n", pw},
		{conf, "[OUTPUT]\n    Name  es\n    HTTP_User  me\n    HTTP_Passwd  §\n", "swordfish"},
		{conf, "<match **>\n  user me\n  password §\n</match>\n", "swordfish"},
		{"a.json", `{"Spec":{"Env":["MODE=x","DB_PASSWORD=§"]}}`, "swordfish"},
		{log, "Env: [MODE=x DB_PASSWORD=§]", pw}, {log, `docker run -e DB_PASSWORD=§ x`, "swordfish"},
		{log, "      - DB_PASSWORD=§", "swordfish"},
		// Escapes of XML and of URLs.
		{log, `&quot;password&quot;:&quot;§&quot;`, pw[:8]}, {log, `Password=&quot;§&quot;`, "swordfish"},
		{"files/task.xml", `<Arguments>-Password &quot;§&quot; -User x</Arguments>`, "sword fish"},
		{"files/task.xml", `<Arguments>/c tool.exe --token=§ --x</Arguments>`, hex},
		{log, `&lt;Password&gt;§&lt;/Password&gt;`, "swordfish"},
		{"files/e.xml", `<Data Name="CommandLine">cmd /c net use Z: \\h\s § /user:me</Data>`, "swordfish"},
		{log, `Process Command Line:	"C:\x.exe" --password § --v 2`, "swordfish"},
		{log, `q=password%3D§%26x%3D1`, "swordfish"}, {log, `%22password%22%3A%22§%22`, "swordfish"},
		{log, `password=§`, "p%40ss%21w0rd"},
		// Base64 without armor.
		{log, "key §", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7" + strings.Repeat("a1B2", 8)},
		{log, "got §", b64("password=" + pw)}, {log, "blob § end", b64(`{"auths":{"r.example":{"auth":"dXNlcjpUcjB1YjRkb3I="}}}`)},
		{log, "x § y", b64("config: 1\nusers:\n- token: " + hex)},
		{"files/a.yaml", "apiVersion: \"v1\"\nkind: \"Secret\"\ndata:\n  a: §\n", "aHVudGVyMg=="},
		{"files/a.yaml", "{apiVersion: \"v1\", kind: Secret, data: {a: §}}\n", "aHVudGVyMg=="},
		{"files/a.yaml", "apiVersion: v1\nkind: 'Secret'\nstringData: {a: \"§\"}\n", "swordfish"},
		// GUIDs and hexadecimal digits, headers of any scheme, addresses.
		{log, "client_secret=§", "708e7e39-2912-4ca4-af9c-f33c7d354812"}, {log, "api-token: §", "708e7e39-2912-4ca4-af9c-f33c7d354812"},
		{log, "secret: §", hex}, {log, "Authorization: SharedKey acct:§", "q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c="},
		{log, "Authorization: GoogleLogin §", "auth=a1B2c3D4e5F6g7H8"}, {log, "Authorization: §", hex},
		{log, "dsn: user:§@tcp(10.0.0.1:3306)/db", pw}, {log, `DSN="me:§@tcp(db)/x"`, "swordfish"},
		// a login without a scheme, and a URL in the Markdown of a manual (shoutrrr, docs/services/zulip.md)
		{log, "connect ECONNREFUSED admin:§@db.internal:3306", "Kw7_Rt2Bq~"},
		{log, "zulip://__`botmail`__:§@__`host`__/?stream=__`stream`__", "nk-T9ifA1"}, {log, "pushover://shoutrrr:§@__`userKey`__/", "wbsei_S75"},
		// what the quotes around a setting hold, whatever separates fields elsewhere
		{log, "docker run -e 'SA_PASSWORD=§' -p 1433:1433 x", "PWZqFgVj]vgsr;n1qYiyme"},
		{"files/a.yaml", "sasToken:\n  rawValue: '§'\n", "8Bue8ERDM%2Fqkbbq2m0jX0KPIHoED1YObxIZq9LRJmZM%3D"},
		// a key of .NET's configuration, a value of the registry in hex, a cell that is written like a name
		{"a.json", `{"Jwt":{"Key":"§"}}`, "Kw7Rt2Bqdor4Tr0ubXyZ12"}, {"files/a.reg", `"DefaultPassword"=hex(1):§`, "54,00,72,00,30,00,75,00,62,00"},
		{log, "| Setting | Value |\n|---|---|\n| DB_PASSWORD | § |\n", "winter_zephyr_19"},
		{log, "sqlplus me/§@db", "swordfish"}, {log, "GET https://f.example/api/x?code=§", "a1B2c3D4e5F6g7H8i9J0k1L2=="},
		{log, "https://a.example/x?sig=§", "a1B2c3D4e5F6g7H8i9J0k1L2%3D"},
		// Commands.
		{log, "sqlcmd /S x /U sa /P §", "swordfish"}, {log, `sqlcmd -S x -U sa -P"§"`, "sword fish"},
		{log, "net.exe user me § /add", "swordfish"}, {log, "putty -ssh me@h -pw §", "swordfish"},
		{log, `paexec \\h -u me -p § cmd`, "swordfish"}, {log, "7z a x.7z -p§ dir", "swordfish"},
		{log, "nuget push pkg.nupkg § -Source x", "oy2a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8s9t0u1v"},
		{log, "nuget.exe push pkg.nupkg -ApiKey §", hex}, {log, "curl -k \\\n  -u me:§ \\\n  https://x", "swordfish"},
		{log, "curl -k `\n  --user me:§ https://x", "swordfish"}, {log, "certutil -p § -importpfx x.pfx", "swordfish"},
		{log, "cmdkey /add:h /user:me /pass:§", "swordfish"}, {log, `cmdkey /add:h /user:me /pass:"§"`, "sword fish"},
		{log, "schtasks /create /tn x /ru me /rp §", "swordfish"}, {log, "tasklist /s h /u me /p §", "swordfish"},
		{log, "runas /user:me /password:§ cmd", "swordfish"}, {log, "openssl pkcs12 -passin pass:§ -in x", "swordfish"},
		// Issuers.
		{log, "x § y", "sk-proj-" + strings.Repeat("a1B2c3D4", 8)}, {log, "x § y", "sk-ant-api03-" + strings.Repeat("a1B2c3D4", 12)},
		{log, "x § y", "dapi" + hex[:32]}, {log, "x § y", "PMAK-" + hex[:24] + "-" + hex[:34]},
		{log, "x § y", "sq0atp-" + "a1B2c3D4e5F6g7H8i9J0kk"}, {log, "x § y", "dp.pt." + strings.Repeat("a1B2c3D4", 6)[:43]},
		{log, "x § y", "gsk_" + strings.Repeat("a1B2c3D4", 7)}, {log, "x § y", "nvapi-" + strings.Repeat("a1B2c3D4", 8)},
		{log, "x § y", "ABSK" + strings.Repeat("a1B2c3D4", 15)}, {log, "x § y", "a1B2c3D4e5F6g7.atlasv1." + strings.Repeat("a1B2c3D4", 8)},
		{log, "x § y", strings.Repeat("a1B2", 13) + "AzSeA1b2C3"}, {log, "bot § up", "110201543:AAHdqTcvCH1vGWJxfSe1ofSAs0K5PALDsaw"},
		// Lists of names before the list of their values, and words in brackets.
		{log, "ID/PW 10.1.2.3 svc/§", "Kw7Rt2Bq"}, {log, "(ID)svc/(PW)§", "Kw7Rt2Bq"}, {log, "id pw svc // §", "Kw7@Rtbq"},
		{log, "IP/ID/PW 10.1.2.3/svc/§ by mail", "Kw7Rt2Bq"}, {log, "login and id/pwd for svc (svc/§)", "Kw7Rt2Bq"},
		{log, "password(default:§)", "Kw7Rt2Bq"}, {log, "db_password,default:§", "Kw7Rt2Bq"}, {log, "user(svc)/pwd(§)", "Kw7Rt2Bq"},
		{log, "비밀번호(§)", "Kw7Rt2Bq"}, {log, "비번은§", "Kw7Rt2Bq"}, {log, "패스워드: §", pw}, {log, "name svc password §", "Kw7Rt2Bq"},
		{log, "my password is §: exit status 1", "48kd7mq2xv"}, {log, "pwd of svc is §", "Kw7Rt2Bq"}, {log, "api token - '§'", "kw7rt2bqmz"},
		{log, "Activation key : §", "KWRTB-MZXQV-PLNTG-HJKDS-WQRZX"},
		// Names as they are misspelled, in camel case, short ones, and symbols.
		{log, "PSSWD:=§", "Kw7rt2bqm"}, {log, "db_passowrd: §", "Kw7rt2bqm"}, {log, `if passworsd == "§" {`, "kw7rt2bqm"},
		{log, "pword=§", "kw7rt2bqm"}, {log, "  <mapKeyOfBing>x</mapKeyOfBing><bingKey>§</bingKey>", "Kw7Rt2BqMzXv9LpN"},
		{"a.xml", `<pwd x="1"> § </pwd>`, "swordfish"}, {"a.yaml", "  - name: PWD\n    value: §\n", "swordfish"},
		{"web.config", `<add key="pwd" value="§"/>`, "swordfish"}, {"web.config", `<add key="BuildPat" value="§"/>`, hex[:40]},
		{"a.log", ":password §", "swordfish"}, {"a.npmrc", "//npm.example/:_auth=§", "CorrectHorseBattery"}, {log, `"pwd" ,"§"`, "swordfish"},
		{log, `"APP_SECRET" : §`, "swordfish"}, {log, "password2-string : §", "swordfish"},
		{log, "pwd2=§", "swordfish"}, {log, "pwd2-string : §", "swordfish"}, {"a.yaml", "  - name: key\n    value: \"§\"\n", "kw7rt2bqmzxv9lpnghjkds4wqrzx83"},
		{"web.config", `<add key="Key" value="§"/>`, "Kw7Rt2BqMzXv9LpNgHjKds4W"}, {log, "bing key = '§'", "?Kw7Rt2BqMzXv9LpNg"},
		{log, "MAPBOXKEY=§", "kWZmRtZmQzXm_PLANted"}, {log, "GET https://x.example/api/v2022/token/§", "Kw7Rt2BqMzXv9LpNgHjKds4WqRzX83ah"},
		{"a.xml", "<secret>{AQAAABAAA §}</secret>", "Kw7_Rt2BqMzXv_9LpNgHjKDS4W_qRzX83TBNRW"}, {log, `password = ("§")`, "swordfish"},
		{log, "<USER>ops</USER><PASS>§</PASS>", "Kw7Rt2Bq"}, {log, `pword ,"§"`, "swordfish"}, {log, "-sercret: §", "Kw7Rt2BqMz"},
		{log, "用户名/密码 ops/§", "Kw7Rt2Bq"}, {log, "login/pass ops:§", "Kw7Rt2Bq"}, {log, "password (default §)", "kw7rt2bqm"},
		{log, "user token = '§' | '§'", strings.Repeat("Kw7Rt2BqMzXv9LpN", 4)},
		// Arguments of calls, defaults and lists of variables.
		{"a.txt", `def f(pswd: str = "§"):`, "swordfish"},
		{log, `setopt(h, CURLOPT_PASSWORD, "§");`, "swordfish"}, {log, `setopt(h, CURLOPT_USERPWD, "§")`, "ops:swordfish"},
		{log, `set :map_api_key, "§"`, hex[:32]}, {log, `password = os.environ.get("DB_PW", "§")`, "48kd7mq2xv"},
		{log, `const aPassword, bPassword = "x1", "§"`, "48kd7mq2xv"}, {log, `new SqlCredential ("ops", "§")`, "swordfish"},
		{log, `jwt.sign(claims, '§')`, "swordfish"}, {log, `credentials: { user: "ops" password: "§" }`, "48151623"},
		{log, `ALTER USER ops SET x = PASSWORD ('§')`, "Kw7Rt2Bq5m"}, {log, "Using KEY=§", "Kw7Rt2BqMzXv9Lp:c*X"},
		{"a.xml", "<secret>{AQAAABAAA §}</secret>", hex[:32]}, {"a.log", "LONG_CREDENTIAL: §", strings.Repeat("kW7rT2bQmZ+xV9/p", 400)},
		// Texts that code hands to a call, quotes that are doubled, and Markdown.
		{log, `access_token = Secret(value="§")`, "byMwCr68htMjKO8dBwkYiLHWxwD5MDF2"}, {log, `user.setPassword(encoder.encode("§"));`, "Nivagur-Befenudar688*"},
		{log, `$p = '§' | ConvertTo-SecureString -AsPlainText -Force`, "Nivagur''Befen688"}, {log, `password = '§'`, "Nivagur''Befen688"},
		{log, `net user ops "§" /add`, `Nivagur""Befen688`}, {log, "**Password:** `§`", "correct-horse-battery"}, {log, "Mot de passe : `§` (ou x)", "correct-horse-battery"},
		{log, "usam senha `§`", "Nivagur.Mizoser455!"}, {log, `String KEY_PASSWORD = "§";`, "667w3qs8"},
		// Names in an earlier line, and above other lines.
		{conf, "    Args:\n      --token\n      §\n      --zone\n      eu\n", hex[:40]}, {conf, "Data\n====\ndb.password:\n----\n§\n\ndb.user:\n----\napp\n", "swordfish"},
		{"a.yaml", "  DBPassword:\n    NoEcho: true\n    Default: §\n", "sword.fish"}, {conf, "User: app\nPassword:\n§\n", "swordfish"},
		{conf, "Username\nsvc\nPassword\n§\n", "swordfish"}, {"a.yaml", "  - redis-cli\n  - -a\n  - §\n  - ping\n", "swordfish"},
		{"a.yaml", "  - mysql\n  - -uroot\n  - -p§\n", "swordfish"}, {"a.tf", `"adminPassword": { "type": "securestring", "defaultValue": "§" },`, "swordfish"},
		{"a.json", `{"p": {"adminPassword": {"type": "securestring", "defaultValue": "§"}}}`, "swordfish"}, {conf, `"secureValue": "§", "name": "db-password"`, "swordfish"},
		{"a.config", `<add value="§" key="ServiceAccountPwd" />`, "swordfish"},
		// Pipelines, pages and archives of HTTP.
		{log, "##vso[task.setvariable variable=DbPassword;isoutput=true]§", "swordfish"}, {log, "##vso[task.setvariable variable=x;issecret=true]§", "swordfish"},
		{log, "##vso[task.setsecret]§", "swordfish"}, {log, `println(hudson.util.Secret.decrypt("{§}"))`, b64(pw + pw)},
		{"a.xml", `<param name="env.PW" value="§" />`, "swordfish"}, {log, "npm config set _auth §", b64("me:" + pw)},
		{"a.har", `{"name": "Cookie", "value": "session=§; lang=de"}`, hex}, {log, `<meta name="csrf-token" content="§">`, hex[:40]},
		{log, "-u elastic --passwordText §", "sword-fish"}, {conf, "  sa_pwd                  => '§',", "swordfish"},
		// Routers, and programs that have their own options.
		{conf, "snmp-server community § RO 10", "swordfish"}, {conf, "snmp-server host 10.0.0.9 version 2c §", "sword-fish"},
		{conf, "username ops password 0 §", "fish66"}, {conf, " neighbor 10.0.0.2 password §", "sword-fish"}, {conf, " ip ospf message-digest-key 1 md5 7 §", "fish66"},
		{conf, " pre-shared-key local §", "fish66"}, {conf, " wpa-psk ascii 0 §", "sword-fish"}, {conf, "    set psksecret §", "fish66"},
		{conf, "standby 1 authentication §", "u4rr6ol6"}, {conf, "| Pre-shared key | § |", hex[:40]},
		{log, `reg add HKLM\X\ValidCommunities /v § /t REG_DWORD /d 4 /f`, "sword-fish"}, {log, `sqlpackage /a:Export /sp:"§" /tf:o.bacpac`, "swordfish"},
		{log, `schtasks /create /tr C:\n.cmd /ru svc /rp §`, "swordfish"}, {log, "ldapwhoami -D x -w '§'", "swordfish"}, {log, "az sql server create -u ops -p §", "swordfish"},
		{log, `Start-Process psexec -ArgumentList "\\w -u ops -p § hostname"`, "swordfish"}, {log, `hook ([cmd /c net use Z: \\f\s /user:me §]) for Container`, "swordfish"},
		{log, "rabbitmqctl change_password app '§'", "sword-fish"}, {log, `CREATE CREDENTIAL X WITH IDENTITY = 'me', Secret = '§'`, "swordfish"},
		// Values that hold the signs of the text around them, tables, wikis, sections, arrays.
		{log, `"open ftp://f/ -username=ops -password=""§""" "ls"`, "sword-fish"}, {log, "ConvertTo-SecureString '§' -AsPlainText -Force", "Nivagur''*befen688"},
		{log, "Property(S): DB_PASSWORD = §", "Z:cNEJok<=/MVEkTajs7"}, {log, "argocd-server password: §", `QxTM"uR]mz)4`}, {log, "Initial admin password: §", "zlYVF's?WvCEfQ"},
		{conf, "[wifi-security]\npassword=§\nx=y\n", "four small words here"}, {conf, "PreSharedKey=§", "ybiuT|Q!Yl+R#w2lDP"}, {log, `"env":["A=1","API_KEY=§"]`, "YqQX7o&dvsqg72"},
		{conf, "Password            : §", "Kosol-Hiluzer1253["}, {log, "--serverpassword §", "qbpjwF=82"}, {log, "Private Const PASSWORD As String = \"§\"", "kvlK<J0n7"},
		{log, "h3. Password: {{§}}", "g4rW02YKe-WC"}, {log, "password . . . . . : §", "swordfish"}, {log, `"Password";"§"`, "swordfish"}, {log, "\"User\";\"Password\"\n\"me\";\"§\"\n", "swordfish"},
		{conf, "UserNames : {me} Passwords : {§} File : x", "swordfish"}, {conf, "Passwords : {§, §}", "swordfish"}, {conf, "[Passwords]\nssh22:ops@10.0.0.4=§\n", "sword-fish"},
		{conf, "[Credentials]\ncorp=ops:§\n", "sword-fish"}, {"a.json", `  "secureValue": "§", "name": "db-password"`, "swordfish"},
		{conf, "+--+--+\n| Pre-shared key | § |\n+--+--+\n| ASN | 64499 |\n", hex[:40]}, {log, "<tr><td>Password</td><td>§</td></tr>", "708e7e39-2912-4ca4-af9c-f33c7d354812"},
		// Small words that hyphens join, behind what can be nothing but a password.
		{log, "password -> §", "willow-maple-river7"}, {log, "DB_PASSWORD is set to §", "willow-maple-river"}, {log, `ds.setPassword("§");`, "willow-maple-river"}, {log, "passphrase §", "willow-maple-river"},
		// Arguments of constructors and of statements.
		{log, `new ClientSecretCredential(tenantId, clientId, "§")`, "swordfish"}, {log, `credentials.NewStaticCredentials("id", "§", "")`, strings.Repeat("a1B2c3D4", 5)},
		{log, `new BasicAWSCredentials("id", "§")`, strings.Repeat("a1B2c3D4", 5)}, {log, `requests.get(u, auth=("svc", "§"))`, "sword-fish"},
		{log, `password: ENV.fetch('DB_PASSWORD') { '§' }`, "swordfish"}, {log, `ASCII.GetBytes("svc:§")`, "4q6v5xq4"}, {log, `ASCII.GetBytes(":§")`, hex[:52]},
		{log, "SET PASSWORD FOR 'app'@'%' = '§';", "swordfish"}, {log, "ALTER USER app IDENTIFIED BY §;", "708e7e39-2912-4ca4-af9c-f33c7d354812"}, {log, "credentials: svc:§", "marble765"},
		{log, "::set-output name=password::§", "swordfish"}, {"a.yaml", "- name: adminPassword\n  type: string\n  default: §\n", "swordfish"}, {"a.yaml", "- variable: adminPassword\n  default: \"§\"\n", "swordfish"},
		{log, `smtp.login("u", "§")`, "swordfish"}, {log, `new UsernamePasswordCredentials("u","§")`, "swordfish"}, {log, `UsernamePasswordCredential("cid", "user", "§")`, "swordfish"},
		{conf, "set passwd ENC §", "fish66"}, {conf, " pre-shared-key ascii-text \"§\"", "$9$abcDEF123456"}, {conf, "password manager plaintext §", "fish66"}, {conf, "crypto isakmp key § address 10.0.0.1", "sword-fish"},
		{conf, " security wpa psk set-key ascii 0 §", "sword-fish"}, {conf, "ntp authentication-key 1 md5 §", "fish66"}, {log, "vmrun -gu Administrator -gp § list", "swordfish"},
		// Keys without their first line, and issuers.
		{log, "§\n-----END RSA PRIVATE KEY-----", strings.Repeat(strings.Repeat("a1B2", 16)+"\n", 3) + "a1B2c3=="},
		{log, "2026-11-20T09:00:00.1Z stdout F §", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt"},
		{log, "x § y", "SU" + strings.Repeat("AKW7RT2BQMZXV3", 4)}, {log, "x § y", "NRBR-" + hex[:19]}, {log, "x § y", hex[:32] + "-" + hex[3:11] + "-" + hex[5:13]}, {log, "x § y", "packagist_ack_" + hex[:30]},
		{log, "x § y", "sk_live_" + strings.Repeat("c", 40)}, {log, "x § y", "pri_" + hex[:32]}, {log, "x § y", "sq0idk-a1B2c3D4e5F6g7H8i9J0kk"},
		{log, "KEY = '§'", "django-insecure-r&kvy#ry1*k+qq)=x-!=0yd5l5#1gxzk!82@ru"},
		{log, "x § y", hex[:32] + "-us12"},
	} {
		text := strings.ReplaceAll(row.text, "§", row.secret)
		if got := copied(t, fixed(), text, row.path); strings.Contains(got, row.secret) ||
			!strings.Contains(got, tokenStart) {
			t.Errorf("%s: %q is left\nof %s\nin %s", row.path, row.secret, text, got)
		}
	}
}
