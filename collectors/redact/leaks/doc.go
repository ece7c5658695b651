// Package leaks measures what the redactor lets through and what it marks wrongly, with examples that
// were written without looking at its rules: generated from gitleaks' rules, read from the test suites
// of other scanners, and a corpus of its own about Windows nodes. `make leaks` prints the tables; the
// tests hold today's figures as bounds that may only shrink.
package leaks
