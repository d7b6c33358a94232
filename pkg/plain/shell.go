package plain

import "strings"

// Quoted returns a text as one word of a shell, in single quotes.
func Quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// ShellWord returns a text as one word of a shell. It has quotes only if it needs them.
func ShellWord(text string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%"
	if text != "" && strings.Trim(text, safe) == "" {
		return text
	}
	return Quoted(text)
}
