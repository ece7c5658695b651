package evtx

import (
	"regexp"
	"strconv"
	"strings"
)

// messages are the texts of events that concern services, restarts, memory and crashes, as the
// programs of Windows Server 2019 to 2025 have them in English; %1 is the first value. They are the
// texts that a live node answers with, so that the same signs are found in them. Sources:
// https://learn.microsoft.com/en-us/windows/win32/services/service-control-manager and the
// documentation of each event.
var messages = map[string]map[int]string{
	"service control manager": {
		7000: "The %1 service failed to start due to the following error: %2",
		7001: "The %1 service depends on the %2 service which failed to start because of the following error: %3",
		7009: "A timeout was reached (%1 milliseconds) while waiting for the %2 service to connect.",
		7011: "A timeout (%1 milliseconds) was reached while waiting for a transaction response from the %2 service.",
		7022: "The %1 service hung on starting.",
		7023: "The %1 service terminated with the following error: %2",
		7024: "The %1 service terminated with the following service-specific error: %2",
		7031: "The %1 service terminated unexpectedly.  It has done this %2 time(s).  The following corrective action will be taken in %3 milliseconds: %5.",
		7034: "The %1 service terminated unexpectedly.  It has done this %2 time(s).",
		7036: "The %1 service entered the %2 state.",
		7038: "The %1 service was unable to log on as %2 with the currently configured password due to the following error: %3",
		7040: "The start type of the %1 service was changed from %2 to %3.",
		7041: "The %1 service was unable to log on as %2 with the currently configured password due to the following error: Logon failure: the user has not been granted the requested logon type at this computer.",
		7045: "A service was installed in the system.  Service Name: %1  Service File Name: %2  Service Type: %3  Service Start Type: %4  Service Account: %5",
	},
	"eventlog": {
		6005: "The Event log service was started.",
		6006: "The Event log service was stopped.",
		6008: "The previous system shutdown at %1 on %2 was unexpected.",
	},
	"microsoft-windows-kernel-power": {
		41: "The system has rebooted without cleanly shutting down first. This error could be caused if the system stopped responding, crashed, or lost power unexpectedly.",
	},
	"microsoft-windows-wer-systemerrorreporting": {
		1001: "The computer has rebooted from a bugcheck.  The bugcheck was: %1. A dump was saved in: %2. Report Id: %3.",
	},
	"application error": {
		1000: "Faulting application name: %1, version: %2, time stamp: 0x%3  Faulting module name: %4, version: %5, time stamp: 0x%6  Exception code: 0x%7  Fault offset: 0x%8",
	},
}

// lowMemory is the event of the resource exhaustion detector, whose values have names.
const lowMemory = "Windows successfully diagnosed a low virtual memory condition. The following programs consumed the most virtual memory: "

var insert = regexp.MustCompile(`%(\d)`)

// Message is what the event says: the text of Windows where it is known, else its values. Programs
// such as the kubelet, containerd and nssm write their whole message as a value.
func (e Event) Message() string {
	if text := messages[strings.ToLower(e.Provider)][e.ID]; text != "" {
		return insert.ReplaceAllStringFunc(text, func(mark string) string {
			if i := int(mark[1] - '1'); i >= 0 && i < len(e.Data) {
				return e.Data[i].say()
			}
			return ""
		})
	}
	var list []string
	for _, d := range e.Data {
		said := d.say()
		switch {
		case said == "":
		case d.Name == "":
			list = append(list, said)
		default:
			list = append(list, d.Name+": "+said)
		}
	}
	text := strings.Join(list, "; ")
	if e.ID == 2004 && strings.EqualFold(e.Provider, "Microsoft-Windows-Resource-Exhaustion-Detector") {
		return lowMemory + text
	}
	return text
}

// systemError is a reference to a text of Windows by the number of its error.
var systemError = regexp.MustCompile(`^%%(\d{1,10})$`)

// say writes a value as messages do: an error by its number, and in hexadecimal too where that is how
// everybody looks for it.
func (d Datum) say() string {
	text := strings.TrimSpace(d.Value)
	number := text
	if m := systemError.FindStringSubmatch(text); m != nil {
		number, text = m[1], "error "+m[1]
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err == nil && (n < 0 && n >= -1<<31 || n >= 1<<31 && n < 1<<32) {
		text += " (0x" + strconv.FormatUint(uint64(uint32(n)), 16) + ")"
	}
	return text
}
