package plain

import "strings"

// Quoted puts a text into single quotes, so that a shell reads it as one word.
func Quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// ShellWord returns a text so that a shell reads it as one word. It adds quotes only if they are necessary.
func ShellWord(text string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%"
	if text != "" && strings.Trim(text, safe) == "" {
		return text
	}
	return Quoted(text)
}
