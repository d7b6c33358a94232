// This file hides secrets: passwords and tokens in environment variables and URLs.

package plain

import (
	"regexp"
	"strings"
)

// hiddenText replaces a secret in output.
const hiddenText = "(hidden)"

// credentialsPattern matches the user and the password of a URL in a text, up to the @. With a scheme, it matches
// anything before the last @ of the word. Without a scheme, it matches a name, a colon and a password.
var credentialsPattern = regexp.MustCompile(`//[^\s"']*@|[^\s"'/:@=,;]+:[^\s"'/@]+@`)

// HideInURLs hides the users and passwords of all URLs in a text. It also finds URLs without a scheme, such as
// user:password@host.
func HideInURLs(text string) string {
	return credentialsPattern.ReplaceAllStringFunc(text, hideCredentials)
}

// hideCredentials returns the replacement for found, a match of credentialsPattern or credentialsOfURL.
func hideCredentials(found string) string {
	if strings.HasPrefix(found, "//") {
		return "//" + hiddenText + "@"
	}
	return hiddenText + "@"
}

// credentialsOfURL matches the user and the password in a value that is a single URL. With a scheme, it matches
// anything from // to the last @. Without a scheme, it matches a name without a slash, a colon, and anything up to the
// last @.
var credentialsOfURL = regexp.MustCompile(`(?s)//.*@|^[^\s/:@=,;]+:(?:[^\s/@]|/[^\s/@])\S*@`)

// HideInURL hides the user and the password in a value, if it is a URL. The user and the password may contain blanks,
// quotes and slashes.
func HideInURL(value string) string {
	return HideInURLs(credentialsOfURL.ReplaceAllStringFunc(value, hideCredentials))
}

// HideSecretsInVariable hides secrets in the value of an environment variable. If the name suggests a secret, it hides
// the whole value; otherwise it hides users and passwords of URLs.
func HideSecretsInVariable(name, value string) string {
	for _, word := range []string{"PASSWORD", "PASSWD", "PASSPHRASE", "TOKEN", "SECRET", "KEY", "CREDENTIAL"} {
		if strings.Contains(strings.ToUpper(name), word) {
			return hiddenText
		}
	}
	return HideInURL(value)
}
