// This file hides what must not be told: passwords and tokens in variables and in URLs.

package plain

import (
	"regexp"
	"strings"
)

// hidden stands for a secret.
const hidden = "(hidden)"

// user matches user and password of a URL up to the host: with a scheme anything before the last @ of the word,
// without one a name, a colon and a password.
var user = regexp.MustCompile(`//[^\s"']*@|[^\s"'/:@=,;]+:[^\s"'/@]+@`)

// HideInURLs returns a text in which users and passwords of URLs are hidden. The URLs may lack the scheme.
func HideInURLs(text string) string {
	return user.ReplaceAllStringFunc(text, hideCredentials)
}

// hideCredentials returns what stands for user and password that were found.
func hideCredentials(found string) string {
	if strings.HasPrefix(found, "//") {
		return "//" + hidden + "@"
	}
	return hidden + "@"
}

// single matches user and password of a value that is one URL: with a scheme anything between // and the last @,
// without one a name without a slash, a colon and anything up to the last @.
var single = regexp.MustCompile(`(?s)//.*@|^[^\s/:@=,;]+:(?:[^\s/@]|/[^\s/@])\S*@`)

// HideInURL returns a value in which user and password are hidden if it is a URL. They may hold blanks, quotes and
// slashes.
func HideInURL(value string) string {
	return HideInURLs(single.ReplaceAllStringFunc(value, hideCredentials))
}

// HideValue returns the value of a variable without secrets: all of it is hidden if the name suggests a secret, else
// the users and passwords of URLs.
func HideValue(name, value string) string {
	for _, word := range []string{"PASSWORD", "PASSWD", "PASSPHRASE", "TOKEN", "SECRET", "KEY", "CREDENTIAL"} {
		if strings.Contains(strings.ToUpper(name), word) {
			return hidden
		}
	}
	return HideInURL(value)
}
