package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf16"
)

// A context is a way in which a text stands in a file. Its write gets the text and the secrets in it,
// and returns "" where the context says nothing about this text.
type context struct {
	name  string
	path  string // of the file, if the context needs one
	write func(text string, secrets []string) string
}

const plainContext = "plain"

var contexts = []context{
	{name: plainContext, write: func(text string, _ []string) string { return text + "\n" }},
	{name: "CRLF", write: func(text string, _ []string) string {
		return strings.ReplaceAll(text, "\n", "\r\n") + "\r\n"
	}},
	{name: "klog", write: lines(func(i int, line string) string {
		return fmt.Sprintf("I1120 09:00:%02d.123456    4242 run.go:7%d] %s", i%60, i%10, line)
	})},
	{name: "CRI", write: lines(func(i int, line string) string {
		return fmt.Sprintf("2026-01-20T09:00:%02d.123456789Z stdout F %s", i%60, line)
	})},
	{name: "JSON in JSON", write: lines(func(i int, line string) string {
		return marshal(map[string]string{"stream": "stderr", "time": "2026-01-20T09:00:00Z",
			"log": marshal(map[string]any{"level": "info", "msg": line}) + "\n"})
	})},
	{name: "JSON message", write: func(text string, _ []string) string {
		return marshal(map[string]string{"ts": "2026-01-20T09:00:00Z", "msg": text}) + "\n"
	}},
	{name: "pretty JSON behind a prefix", write: func(text string, _ []string) string {
		var b strings.Builder
		for _, line := range []string{"{", `  "level": "info",`,
			`  "message": ` + marshal(text) + ",", `  "pid": 4242`, "}"} {
			b.WriteString("2026-01-20T09:00:00.123456789Z stdout F " + line + "\n")
		}
		return b.String()
	}},
	{name: "YAML block", path: "files/C/k/values.yaml", write: func(text string, _ []string) string {
		return "data:\n  script: |\n    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n  next: 1\n"
	}},
	{name: "UTF-16", write: func(text string, _ []string) string {
		return "\xff\xfe" + toUTF16(strings.ReplaceAll(text, "\n", "\r\n")+"\r\n")
	}},
	{name: "ANSI around the value", write: func(text string, secrets []string) string {
		return aroundSecrets(text, secrets, "\x1b[33m", "\x1b[0m") + "\n"
	}},
	{name: "ANSI around the line", write: lines(func(_ int, line string) string {
		return "\x1b[36mINFO\x1b[0m[0001] \x1b[1m" + line + "\x1b[0m"
	})},
	{name: "after Chinese", write: lines(func(_ int, line string) string {
		return "错误：节点无法登录，命令：" + line + "，请重试。"
	})},
	{name: "XML escapes", path: "logs/app/app.xml", write: func(text string, _ []string) string {
		return "<Event><Data Name=\"Line\">" + escapeXML(text) + "</Data></Event>\n"
	}},
	{name: "percent-encoded line", write: func(text string, _ []string) string {
		return `10.0.0.7 - - [20/Jan/2026:09:00:00 +0000] "GET /report?text=` + url.QueryEscape(text) +
			` HTTP/1.1" 200 12` + "\n"
	}},
	{name: "percent-encoded value", write: func(text string, secrets []string) string {
		encoded := text
		for _, secret := range secrets {
			encoded = strings.ReplaceAll(encoded, secret, url.QueryEscape(secret))
		}
		if encoded == text {
			return ""
		}
		return encoded + "\n"
	}},
	{name: "base64", write: func(text string, _ []string) string {
		return "userdata: " + base64.StdEncoding.EncodeToString([]byte(text+"\n")) + "\n"
	}},
	{name: "EncodedCommand", write: func(text string, _ []string) string {
		return "powershell.exe -NoProfile -EncodedCommand " +
			base64.StdEncoding.EncodeToString([]byte(toUTF16(text))) + "\n"
	}},
	{name: "event message", path: "events/security.txt", write: func(text string, _ []string) string {
		return "TimeCreated  : 1/20/2026 9:00:00 AM\nId           : 4688\n" +
			"Message      : A new process has been created.\n\n" +
			"               Process Information:\n" +
			"                   New Process Name:\tC:\\Windows\\System32\\cmd.exe\n" +
			"                   Process Command Line:\t" +
			strings.ReplaceAll(text, "\n", "\n               ") + "\n"
	}},
	{name: "event XML", path: "events/security.xml", write: func(text string, _ []string) string {
		// wevtutil writes &quot;, encoding/xml &#34;.
		return "<EventData><Data Name='ProcessId'>0x1f4</Data><Data Name='CommandLine'>" +
			strings.ReplaceAll(escapeXML(text), "&#34;", "&quot;") + "</Data><Data Name='TokenElevationType'>%%1936</Data></EventData>\n"
	}},
}

// lines writes each line of a text in its own way.
func lines(one func(i int, line string) string) func(string, []string) string {
	return func(text string, _ []string) string {
		var b strings.Builder
		for i, line := range strings.Split(text, "\n") {
			b.WriteString(one(i, line) + "\n")
		}
		return b.String()
	}
}

func aroundSecrets(text string, secrets []string, before, after string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, before+secret+after)
	}
	return text
}

func marshal(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func escapeXML(text string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err)
	}
	return b.String()
}

func toUTF16(text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return string(b)
}
