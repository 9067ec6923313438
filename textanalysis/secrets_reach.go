package textanalysis

import "strings"

// A secretReach tells, for a keyword in a text, where a match of its rule can
// lie that begins with the keyword, or that there is none. It must never leave
// out what the expression would find; it only spares looking: keywords such as
// "key" and "token" stand in many texts, and values behind them in few. Bytes
// beyond ASCII are given the benefit of the doubt, since some fold to letters.
type secretReach func(text string, s secretSpot) (secretPiece, bool)

// secretMargin is how much further a stretch goes than the last byte that
// decides, so that no match touches a cut edge.
const secretMargin = 4

// reachOf is what the rules have that meet the most frequent keywords.
func reachOf(id string) secretReach {
	switch id {
	case "generic-api-key":
		return reachGeneric
	case "assigned-secret":
		return reachAssigned
	case "spoken-key":
		return reachSpokenKey
	case "secret-hex":
		return reachHex
	case "connection-string-password":
		return reachConnection
	case "spoken-password":
		return reachSpokenPassword
	case "jwt":
		return func(text string, s secretSpot) (secretPiece, bool) { return reachToken(text, s, "ey", 17) }
	case "jwt-any":
		return func(text string, s secretSpot) (secretPiece, bool) { return reachToken(text, s, "eyJ", 10) }
	case "vault-service-token":
		return func(text string, s secretSpot) (secretPiece, bool) { return reachRun(text, s, 24, 120) }
	case "sk-key":
		return func(text string, s secretSpot) (secretPiece, bool) { return reachRun(text, s, 28, 240) }
	case "twilio-api-key":
		return func(text string, s secretSpot) (secretPiece, bool) { return reachRun(text, s, 32, 32) }
	}
	return nil
}

// reachGeneric: KEYWORD[ \t\w.-]{0,20}[\s'"]{0,3}OPERATOR[`'"\s=]{0,5}VALUE
// of at least ten signs, with a digit.
func reachGeneric(text string, s secretSpot) (secretPiece, bool) {
	op := skip(text, s.end, 23, func(c byte) bool { return isValueByte(c) || isSpaceByte(c) || c == '\'' || c == '"' })
	if op == len(text) || !strings.ContainsRune("=>:|?,", rune(text[op])) {
		return secretPiece{}, false
	}
	value := skip(text, op, 9, func(c byte) bool { return isSpaceByte(c) || strings.IndexByte("=>:|?,`'\"", c) >= 0 })
	end := skip(text, value, len(text), func(c byte) bool { return isValueByte(c) || c == '=' || c == '+' || c == '/' })
	return secretPiece{s.at, past(text, end)}, end-op > 10 && hasDigit(text[op:end])
}

// reachAssigned: KEYWORD['"]?[ \t]{0,3}(:=|=>|=|:)[ \t]{0,3}VALUE of at least
// eight signs that are no space, with a digit.
func reachAssigned(text string, s secretSpot) (secretPiece, bool) {
	op := skip(text, skip(text, s.end, 1, isQuoteByte), 3, isBlankByte)
	if op == len(text) || text[op] != '=' && text[op] != ':' {
		return secretPiece{}, false
	}
	value := skip(text, skip(text, op, 2, func(c byte) bool { return c == ':' || c == '=' || c == '>' }), 3, isBlankByte)
	end := skip(text, value, 4*120+2, func(c byte) bool { return !isSpaceByte(c) })
	// An operator of one sign may be followed by a value that begins with the other.
	return secretPiece{s.at, past(text, end)}, end-op > 8 && hasDigit(text[op:end])
}

// reachSpokenKey: (api |access |secret )?KEYWORD( is| was|:)?[ \t]{1,3}["'`]?
// and a value of at least sixteen signs, with a digit.
func reachSpokenKey(text string, s secretSpot) (secretPiece, bool) {
	at := s.end
	for _, word := range []string{" is", " was", ":"} {
		if len(text)-at >= len(word) && foldsTo(text[at:at+len(word)], word) {
			at += len(word)
			break
		}
	}
	value := skip(text, at, 3, isBlankByte)
	if value == at {
		return secretPiece{}, false
	}
	value = skip(text, value, 1, func(c byte) bool { return isQuoteByte(c) || c == '`' })
	end := skip(text, value, 3*120, func(c byte) bool { return isValueByte(c) || c == '=' || c == '+' || c == '/' })
	const lead = len("access ")
	return reach(text, s.at-lead, end), end-value >= 16 && hasDigit(text[value:end])
}

// reachHex: secret[\w-]{0,20}['"]?[ \t]{0,3}[=:][ \t]{0,3}['"]? and thirty-two
// hex digits.
func reachHex(text string, s secretSpot) (secretPiece, bool) {
	op := skip(text, skip(text, skip(text, s.end, 20, isValueByte), 1, isQuoteByte), 3, isBlankByte)
	if op == len(text) || text[op] != '=' && text[op] != ':' {
		return secretPiece{}, false
	}
	value := skip(text, skip(text, op+1, 3, isBlankByte), 1, isQuoteByte)
	end := skip(text, value, len(text), isValueByte)
	return secretPiece{s.at, past(text, end)}, end-value >= 32
}

// reachConnection: KEYWORD[ \t]{0,3}=, and a value up to a semicolon.
func reachConnection(text string, s secretSpot) (secretPiece, bool) {
	op := skip(text, s.end, 3, isBlankByte)
	if op == len(text) || text[op] != '=' {
		return secretPiece{}, false
	}
	return reach(text, s.at, op+4*120+16), true
}

// reachSpokenPassword: KEYWORD( for NAME| of NAME)? is VALUE.
func reachSpokenPassword(text string, s secretSpot) (secretPiece, bool) {
	near := text[s.end:min(len(text), s.end+len(" for ")+3*40+len(" is"))]
	for i := range len(near) - 2 {
		if foldsTo(near[i:i+3], " is") {
			return secretPiece{s.at, past(text, s.end+len(near)+4*120+8)}, true
		}
	}
	return secretPiece{}, false
}

// reachToken: a token of parts with dots between, whose first one begins with
// head, followed by at least so many letters and digits.
func reachToken(text string, s secretSpot, head string, least int) (secretPiece, bool) {
	if text[s.at:s.end] != head {
		return secretPiece{}, false
	}
	dot := skip(text, s.end, len(text), func(c byte) bool { return isNameByte(c) && c != '.' })
	if dot-s.end < least || dot == len(text) || text[dot] != '.' {
		return secretPiece{}, false
	}
	end := skip(text, dot, len(text), func(c byte) bool { return isNameByte(c) || c == '/' || c == '\\' || c == '=' })
	return reach(text, s.at, end), true
}

// reachRun: at least so many letters, digits and signs of a name follow the
// keyword, and at most so many belong to it.
func reachRun(text string, s secretSpot, least, most int) (secretPiece, bool) {
	end := skip(text, s.end, most, isValueByte)
	return reach(text, s.at, s.end+3*most), end-s.end >= least
}

// reach is a stretch for an expression that begins at a word.
func reach(text string, from, to int) secretPiece {
	return secretPiece{nameStart(text, max(0, from)), past(text, to)}
}

func past(text string, at int) int { return min(len(text), at+secretMargin) }

// skip passes over at most so many bytes of a kind.
func skip(text string, at, most int, kind func(byte) bool) int {
	for end := min(len(text), at+most); at < end && kind(text[at]); at++ {
	}
	return at
}

// isValueByte is for the signs of a name and for what may fold to one.
func isValueByte(c byte) bool { return isNameByte(c) || c >= 0x80 }

func isQuoteByte(c byte) bool { return c == '\'' || c == '"' }

func isBlankByte(c byte) bool { return c == ' ' || c == '\t' }

func isSpaceByte(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }
