package redact

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestEachIssuersSecretIsCaught: tokens that tell their issuer, and the settings
// of the agents that run on nodes. § stands for the secret.
func TestEachIssuersSecretIsCaught(t *testing.T) {
	hex := func(n int) string { return strings.Repeat("a1b2c3d4e5f60718", 8)[:n] }
	alnum := func(n int) string { return strings.Repeat("a1B2c3D4e5F6g7H8i9J0", 8)[:n] }
	for _, row := range []struct{ path, text, secret string }{
		{"logs/a.log", "x § y", "github_pat_11A" + alnum(60)},
		{"logs/a.log", "x § y", "dckr_pat_" + alnum(27)},
		{"logs/a.log", "x § y", "hvs." + alnum(90)},
		{"logs/a.log", "from vault § y", "hvs." + alnum(44)},
		{"services.json", `[{"binPath":"C:\\a.exe --pass § --port 80"}]`, "Bp" + alnum(9) + "4x"},
		{"events.json", `[{"message":"\"C:\\a.exe\" --pass §"}]`, "Ev" + alnum(9) + "4x"},
		{"logs/a.log", "x § y", "pypi-AgEIcHlwaS5vcmc" + alnum(60)},
		{"logs/a.log", "x § y", "glsa_" + alnum(32) + "_" + hex(8)},
		{"logs/a.log", "x § y", "glc_eyJvIjoi" + alnum(40)},
		{"logs/a.log", "x § y", "glrt-" + alnum(20)},
		{"logs/a.log", "x § y", "glagent-" + alnum(50)},
		{"logs/a.log", "x § y", "xapp-1-A1B2C3D4-123456789012-" + hex(64)},
		{"logs/a.log", "x § y", "dt0c01." + strings.ToUpper(alnum(24)) + "." +
			strings.ToUpper(alnum(64))},
		{"logs/a.log", "x § y", "NRAK-" + strings.ToUpper(alnum(27))},
		{"logs/a.log", "x § y", "AKCp8" + alnum(68)},
		{"logs/a.log", "x § y", "cmVmdGtuOjAxOjE3NjM2MzI4MDA6" + alnum(36)},
		{"logs/a.log", "x § y", "ABIA" + strings.ToUpper("a2b3c4d5e6f7g2h3")},
		{"logs/a.log", "x § y", "sntrys_eyJpYXQiOjE3" + alnum(60)},
		{"logs/a.log", "x § y", "sntryu_" + hex(64)},
		{"logs/a.log", "x § y", "SG." + alnum(22) + "." + alnum(43)},
		{"logs/a.log", "oc login --server=x used §", "sha256~" + alnum(43)},
		{"logs/a.log", "x § y", "GOCSPX-" + alnum(28)},
		{"logs/a.log", "x § y", "SWMTKN-1-" + hex(50) + "-" + hex(25)},
		{"logs/a.log", "x § y", "k8s-aws-v1.aHR0cHM6Ly9zdHMu" + alnum(60)},
		{"logs/a.log", "x § y", "tskey-auth-" + alnum(17) + "-" + alnum(32)},
		{"logs/a.log", "x § y", "ATATT3xFfGF0" + alnum(80)},
		{"logs/a.log", "x § y", "ops_eyJ" + alnum(100)},
		{"logs/a.log", "https://hooks.slack.com/workflows/§",
			"T0A1B2C3D/A0A1B2C3D4/123456789012345678/a1B2c3D4e5F6"},
		{"logs/a.log", "https://corp.webhook.office.com/webhookb2/§",
			"0b1f3a52-8d7c-4b60-9f6e-7f1d3c2b1a00@0b1f3a52-8d7c-4b60-9f6e-7f1d3c2b1a00/IncomingWebhook/" + hex(32) + "/0b1f3a52-8d7c-4b60-9f6e-7f1d3c2b1a00"},
		{"logs/a.log", "curl -fL https://rancher.example/v3/import/§.yaml | kubectl apply -f -",
			alnum(54) + "_c-m-ab12cd34"},
		{"logs/a.log", "+------+-----------+\n| name | api_key   |\n+------+-----------+\n| ci   | § |\n+------+-----------+\n",
			hex(40)},
		{"files/fluent-bit.conf", "[OUTPUT]\n    Name  es\n    Cloud_Auth  §\n", "elastic:" + alnum(24)},
		{"logs/a.log", "https://discord.com/api/webhooks/§", "123456789012345678/" + alnum(68)},
		{"logs/a.log", "SENTRY_DSN=https://§@o1.ingest.sentry.io/42", hex(32)},
		{"logs/a.log", "Authorization: Splunk §", "708e7e39-2912-4ca4-af9c-f33c7d354812"},
		{"logs/a.log", `-H "Authorization: GenieKey §"`, "708e7e39-2912-4ca4-af9c-f33c7d354812"},
		{"files/outputs.conf", "[httpout]\nhttpEventCollectorToken = §\n",
			"708e7e39-2912-4ca4-af9c-f33c7d354812"},
		{"logs/a.log", "DD-API-KEY: §", hex(32)},
		{"files/datadog.yaml", "api_key: §\nsite: datadoghq.eu\n", hex(32)},
		{"env.json", `{"DD_APP_KEY":"§"}`, hex(40)},
		{"logs/a.log", "https://http-intake.example/v1/input?dd-api-key=§&host=x", hex(32)},
		{"files/newrelic-infra.yml", "license_key: §\n", "eu01xx" + hex(30) + "NRAL"},
		{"env.json", `{"WORKSPACE_KEY":"§"}`, base64.StdEncoding.EncodeToString([]byte(alnum(64)))},
		{"env.json", `{"IDENTITY_HEADER":"§"}`, strings.ToUpper(hex(32))},
		{"logs/a.log", "X-IDENTITY-HEADER: §", strings.ToUpper(hex(32))},
		{"logs/a.log", "Ocp-Apim-Subscription-Key: §", hex(32)},
		{"logs/a.log", "https://f.azurewebsites.net/api/x?code=1&x-functions-key=§",
			alnum(52) + "=="},
		{"files/ldap.conf", "binddn cn=x\nbindpw §\n", "swordfish"},
		{"files/ldap.toml", "bind_pw = \"§\"\n", "swordfish"},
		{"env.json", `{"LDAP_BIND_PW":"§"}`, "swordfish"},
		{"logs/a.log", `Add-VpnConnection -Name x -L2tpPsk "§" -Force`, "sword fish"},
		{"files/ipsec.secrets", `10.0.0.1 10.0.0.2 : PSK "§"`, "sword fish"},
		{"files/wg.conf", "[Peer]\nPresharedKey = §\n",
			"q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8l9Z0x1c="},
		{"files/wg.conf", "[Interface]\nPrivateKey = §\n",
			"q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8l9Z0x1c="},
		{"logs/a.log", `rasdial VPN me §`, "swordfish"},
		{"files/snmp.yaml", "snmp_community: §\n", "sw0rdfish"},
		{"files/snmpd.conf", "rocommunity § 10.0.0.0/8\n", "sw0rdfish"},
		{"logs/a.log", `winrm id -r:host -u:me -p:§ -encoding:utf-8`, "swordfish"},
		{"logs/a.log", `New-PSSession -ComputerName x -Credential @{UserName='me';Password='§'}`,
			"sword fish"},
		{"logs/a.log", `ktpass /princ x /mapuser y /pass § /out z`, "swordfish"},
		{"logs/a.log", `appcmd set apppool x /processModel.password:§`, "swordfish"},
		{"logs/a.log",
			"    Numerical Password:\n      ID: {0B1F3A52-8D7C-4B60-9F6E-7F1D3C2B1A00}\n      Password:\n        §\n", "111111-222222-333333-444444-555555-666666-777777-888888"},
		{"logs/a.log", `manage-bde -unlock C: -RecoveryPassword §`,
			"111111-222222-333333-444444-555555-666666-777777-888888"},
		{"files/sitemanager.xml", `<User>me</User><Pass encoding="base64">§</Pass>`,
			"c3dvcmRmaXNo"},
		{"files/nuget.config", `<add key="ClearTextPassword" value="§" />`, "sword fish"},
		{"files/Groups.xml", `<Properties userName="x" cpassword="§"/>`,
			"j1Uyj3Vx8TY9LtLZil2uAuZkFQA/4latT76ZwgdHdhw"},
		{"logs/a.log", `ms-Mcs-AdmPwd: §`, "x9$kLw2!pQ"},
		{"logs/a.log", `java -jar agent.jar -secret § -name win`, hex(64)},
	} {
		text := strings.ReplaceAll(row.text, "§", row.secret)
		got := copied(t, fixed(), text, row.path)
		if strings.Contains(got, row.secret) || !strings.Contains(got, tokenStart) {
			t.Errorf("%s: %q is left\nof %s\nin %s", row.path, row.secret, text, got)
			continue
		}
		if before, after, _ := strings.Cut(row.text, "§"); !strings.HasPrefix(got,
			before[:min(len(before), 6)]) || !strings.HasSuffix(got, after[max(0, len(after)-6):]) {
			t.Errorf("%s: more went than the secret\nof %s\nin %s", row.path, text, got)
		}
	}
}
