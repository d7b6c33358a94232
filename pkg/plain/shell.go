package plain

import "strings"

// Quoted quotes a text as one word for a shell, in single quotes.
func Quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// ShellWord returns a text as one word for a shell. It quotes the text only if necessary.
func ShellWord(text string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%"
	if text != "" && strings.Trim(text, safe) == "" {
		return text
	}
	return Quoted(text)
}
