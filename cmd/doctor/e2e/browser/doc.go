// Package browser opens the HTML report of the whole program in Chromium.
package browser
