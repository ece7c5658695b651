package redact

import (
	"strings"
	"testing"
)

// places are where programs, devices, languages and formats take a secret, one a line; § stands for it.
// What the place says of the value is enough: the value need not look like one that a generator made.
const places = `check_mssql -H db1 -U ops -P § -w 5
check_snmp -P 3 -L authPriv -U ops -A '§' -X '§' -H sw1
gbak -b -user sysdba -pas § o.fdb o.fbk
beeline -u jdbc:hive2://h1:10000 -n hive -p §
any-tool show -u ops -p §
any-tool run /s h1 /u CORP\ops /p § /r
adfind -h dc1 -u CORP\ops -up § -f objectclass=user
knife bootstrap h1 -o winrm -x ops -P § -N h1
sdl-freerdp /v:h1 /u:ops /g:gw /gp:'§'
curl --cert C:\certs\a.pem:§ https://h1
tf.exe get /login:CORP\svc,§
mysqlsh --uri ops:§@db1:3306/shop
vault token create -id=§ -policy=x
dsmadmc -id=a -pa=§ q ses
net use * https://dav.corp.example/x /user:svc § /persistent:no
Executing: ['net', 'user', 'Admin', '§'] execute_process
Start-Process net -ArgumentList 'use','Z:','\\fs1\s','§','/user:svc'
<![LOG[net use Z: \\fs1\s /user:CORP\ops §]LOG]!><time="10:11:12.1">
pspasswd64 \\h1 Administrator §
ksetup /changepassword § §
ktab -a svc@CORP § -k k.keytab
samba-tool user create ops § --use-username-as-cn
poetry config http-basic.corp svc §
bundle config https://gems.corp.example svc:§
zkCli.cmd addauth digest ops:§
net ads join -U 'joiner%§'
wmiexec.py corp/ops:§@10.0.0.4 whoami
rman target sys/§@orcl catalog rcat/§@rc
sqlplus ops/§@(DESCRIPTION=(ADDRESS=(HOST=o)(PORT=1521)))
npmAuthIdent: "svc:§"
cvs -d :pserver:ops:§@h1:/r co x
.LOGON td/ops,§
ALTER USER sys IDENTIFIED BY "§" REPLACE "§";
CREATE DATABASE LINK l CONNECT TO ops IDENTIFIED BY VALUES '§' USING 'X';
EXEC sp_setapprole 'r', '§';
EXEC sp_password @old = '§', @new = '§', @loginame = 'ops';
PRAGMA rekey = "§";
ATTACH DATABASE 'e.db' AS e KEY '§';
db2 "connect to S user ops using '§'"
MSI (s): PROPERTY CHANGE: Modifying DB_PWD property. Its current value is 'x'. Its new value: '§'.
snmp-agent community read cipher §
super password level 3 cipher §
peer 10.0.0.2 password cipher §
enable secret level 5 0 §
isis password § level-2
snmp-server community "§" unrestricted
set network ike gateway g authentication pre-shared-key key §
aaa authentication-server radius "r" host 10.0.0.3 key §
/ip ipsec identity add peer=p secret="§" generate-policy=port-strict
netsh advfirewall consec add rule name=r auth1=computerpsk auth1psk="§"
netsh ras aaaa add authserver name=r1 secret=§ init-score=30
nmcli dev wifi connect Corp password §
d-i passwd/root-password password §
rootpw --plaintext §
syncrepl rid=1 provider=ldap://m bindmethod=simple credentials=§ binddn="cn=r"
ltm monitor mssql m { database o password § username u }
bridge_psk §
Adgangskode: §
Heslo uživatele svc je '§'
Lösenordet för svc är '§'
Şifre: §
Jelszó: §
Парола: §
Κωδικός πρόσβασης: §
סיסמה: §
كلمة المرور: §
รหัสผ่าน: §
Kata sandi: §
"senha_banco": "§"
<Contrasenia>§</Contrasenia>
Contenuto chiave            : §
client.Authenticate("ops", "§");
LogonUser("svc", "CORP", "§", 3, 0, out var h)
new UsernamePasswordCredential("ops", "§", tenant, client)
DriverManager.getConnection(url, "ops", "§")
ssh.ParsePrivateKeyWithPassphrase(pem, []byte("§"))
http.basic_auth 'ops', '§'
wcscpy(password, L"§");
Userinfo: url.UserPassword("ops", "§"),
public string Password { get; set; } = "§";
parser.add_argument('--password', default='§')
process.env.DB_PASSWORD || '§'
password <- "§"
<password value="§"/>
<add key="Wcf.Pwd" value="§"/>
<Set name="KeyManagerPassword"><Property name="x" default="§"/></Set>
<SSIS:Parameter SSIS:Name="DbPassword"><SSIS:Property SSIS:Name="Value">§</SSIS:Property></SSIS:Parameter>
{<<"default_pass">>, <<"§">>}
DriverOption "password" "§"
aws cloudformation create-stack --parameters ParameterKey=DBPassword,ParameterValue=§
{"ParameterKey": "DbPassword", "ParameterValue": "§"}
{"OutputValue": "§", "OutputKey": "AdminPassword"}
helm upgrade x ./x --set env[0].name=DB_PASSWORD,env[0].value=§
db_password = <<EOT⏎§⏎EOT⏎
output "admin_password" {⏎  value = "§"⏎}⏎
env:⏎  - name: DB_PASSWORD⏎    # rotated⏎    value: §⏎
  var password =⏎    "§";⏎
Command:⏎      sqlcmd⏎      -U⏎      sa⏎      -P⏎      §⏎      -Q⏎      SELECT 1⏎
dbpw: §
sqlpw=§
| **Admin password** | § |
| Proxy Password || § |
A temporary password is generated for root@localhost: §
Setting string variable 'ServicePassword' to value '§'
Set-RemoteAccessRadius -SharedSecret '§' -Purpose Authentication
jwt_secret: "§"
`

// TestAPlaceSaysThatItsValueIsASecret: hyphens between words, a word with a number and what somebody
// chose are secrets where a password is to stand.
func TestAPlaceSaysThatItsValueIsASecret(t *testing.T) {
	for line := range strings.Lines(places) {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "⏎", "\n")
		for _, secret := range []string{"copper-turtle-purple", "summit754x", "Tr0ub4dor?3x"} {
			text := strings.ReplaceAll(line, "§", secret)
			if got := copied(t, fixed(), text, "logs/a.log"); strings.Contains(got, secret) {
				t.Errorf("%q is left\nof %s\nin %s", secret, text, got)
			}
		}
	}
}

// TestAFormIsASecret: some values are told by their form alone, and some by a place whose values have one.
func TestAFormIsASecret(t *testing.T) {
	for text, secret := range map[string]string{
		"key protector § saved":                                          "034221-322179-034771-439813-392117-515515-449757-172953",
		"Administrator:500:aad3b435b51404eeaad3b435b51404ee:§:::":        "05dd2080c9fddc1e882cd7240a1b2c3d",
		"[TeamCity] Super user authentication token: § (use empty user)": "6127334875612093348",
		"ipsec.secrets: 10.0.0.4 10.0.0.5: PSK 0x§":                      "9026047156c0738f7977c748e7c365aa",
		`<Property name="Authorization" value="Splunk §"/>`:              "c7bf16bd-c7fa-4242-a841-4bcc10aa0b1c",
		`ospf interface ge-0/0/0 authentication md5 1 key "§"`:           "$9$mz9k/JSWWMFRkhp.PcksVq6u",
		"ssl_options.password = §":                                       "WZM1lbJ&al8Sc6N",
		"Set-Content -Path c.ini -Value \"password=§\"":                  "lX50N_a;JuTwcuT*6Tm",
		"storeUserManagedPassword=§":                                     "pM9jyR.(rLN3@)PL",
		"A temporary password is generated for root@localhost: §":        "h;o0uAXpo7)qbN5l",
		"ip_address: 10.0.0.4 password:   § username:   ops":             "yq^YeNET~ik]61KltN[UzQp",
		"| `app.secret` | secret of the app | `§` |":                     "Tr0ub4dor?3x",
		"echo \"User-Name=ops\" | radclient -x 10.0.0.3 auth §":          "summit754x",
		"sasl.password §": "Nofa-Ratutot88{",
	} {
		text = strings.ReplaceAll(text, "§", secret)
		if got := copied(t, fixed(), text+"\n", "files/C/a.conf"); strings.Contains(got, secret) {
			t.Errorf("%q is left\nof %s\nin %s", secret, text, got)
		}
	}
}

// TestAPlaceMayHoldSomethingElse: what stands in the same places and is no secret.
func TestAPlaceMayHoldSomethingElse(t *testing.T) {
	for line := range strings.Lines(`check_mysql -H db1 -P 3306 -d shop
docker run -u root -p 127.0.0.1:8080:80 nginx
sudo -u app mkdir -p build-output
mysql -u root -p shop_db
govc guest.upload -l user:pass -vm=my-vm - /etc/motd
    psloglist.exe       pspasswd.exe        psping.exe          PsService.exe
One or more tests failed (radclient exited with 256).
the attempted logon is due to a bad username or authentication information.
peer public key has changed
standby redirect advertisement authentication key-chain.
set vpn ipsec site-to-site peer 203.0.113.2 authentication remote-id '203.0.113.2'
<div>Password text valid for plain text and key-string</div>
addprinc -randkey HTTP/www.corp.example@CORP.EXAMPLE
- https://github.com/corp/tools/blob/master/examples/wmiexec.py
parser.add_argument("--secret", help="Enable Secret", action="store_true")
if ((a && !expect_password) || !expect_password || (call_env->password)) {
az network vpn-connection create --shared-key $vpnSharedKey --vnet-gateway2 $gateway
<filter token="VERSION" value="${version}"/>
<add key="AzureAd:AppKey2" value="%APP_KEY%"/>
| **Basic auth**   | **read cookies**        | **write cookies** |
| ` + "`storeAccountKey` | Specify it to a secret. | `true`,`false` | No |" + `
Ensure 'Maximum password age' is set to '365 or fewer days, but not 0'
The resulting recovery key can be provided to ` + "`repair-bde.exe -rp`" + `.
{"/..\\..\\etc\\passwd", "..\\..\\passwd", "x"},
key := uint64FromFileKey{format, filename}
PT_PSW = 40
| Application Secret | Key Value   |
| **Password** | Example: ` + "`admin1`" + ` |
description: 'A simple username and password backend.',
scriptBody += " -u " + userName + " -p " + password + "\n";
fields[key] = keysAndValues[i+1]
f.bufferTokens <- buf
actions := []string{"pass", "deny"}
The encrypted unseal keys are backed up to "core/unseal-keys-backup" and
data->cached_passphrase[*pass_len] = '\0';
x = " password=\"" + password + "\";";
strncpy(password, prompt_for("Password: "), SIZE);
userStringKey := S(fmt.Sprintf("key%d", i))
log_output	FILE⏎old_passwords	OFF⏎port	3306⏎profiling	OFF
conn = db.connect(host=h, user=username, passwd=mysqlpass)
current_password = screen.PASSWD_ADMIN_USER
$pwd = get-location;
password: api_config['default']['zabbix_pass'],
password_cmd = argv[idx+2];
key: sc-config-{{ .Branch }}-{{ checksum "x" }}
wget -qO- --header="x-api-key: $S2_API_KEY" https://h1/
x(secret: Chef::DelayedEvaluator.new { y })
Userinfo: url.UserPassword("Administrator@VSPHERE.LOCAL", "password"),
secret="default/join-secret"
Secret: web-tls-secret
`) {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "⏎", "\n")
		if got := copied(t, fixed(), line+"\n", "logs/a.log"); got != line+"\n" {
			t.Errorf("got %s\nfrom %s", got, line)
		}
	}
}
