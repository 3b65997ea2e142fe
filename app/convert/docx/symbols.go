package docx

import "strings"

func isWingdings(font string) bool { return strings.HasPrefix(font, "Wingdings") }

// Symbol fonts put pictures at the code points of letters, and Word moves them
// to U+F000 and up. These are the ones that documents actually use.
var wingdings = map[rune]string{
	0x22: "✂", 0x28: "☎", 0x2A: "✉", 0x4A: "☺", 0x6C: "●", 0x6E: "■", 0x6F: "☐", 0x71: "☐", 0x72: "☐", 0x73: "◆", 0x75: "◆",
	0x76: "❖", 0x9E: "·", 0x9F: "•", 0xA1: "○", 0xA7: "▪", 0xA8: "☐", 0xD8: "›", 0xE0: "→", 0xDF: "←", 0xE8: "→",
	0xF0: "→", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑", 0x52: "☑", 0x53: "☒", 0x50: "✓", 0x4F: "✗", 0xA3: "☐",
}

var symbolFont = map[rune]string{
	0xB7: "•", 0xA8: "♦", 0xAE: "→", 0xAC: "←", 0xB0: "°", 0xB1: "±", 0xB2: "″", 0xB3: "≥", 0xA3: "≤", 0xB4: "×", 0xB9: "≠",
	0xBB: "≈", 0xBC: "…", 0xD7: "·", 0xD2: "®", 0xD3: "©", 0xD4: "™", 0xA5: "∞", 0x2D: "−", 0xF0: "•",
	0x61: "α", 0x62: "β", 0x63: "χ", 0x64: "δ", 0x65: "ε", 0x66: "φ", 0x67: "γ", 0x68: "η", 0x69: "ι", 0x6B: "κ", 0x6C: "λ",
	0x6D: "μ", 0x6E: "ν", 0x6F: "ο", 0x70: "π", 0x71: "θ", 0x72: "ρ", 0x73: "σ", 0x74: "τ", 0x75: "υ", 0x77: "ω", 0x78: "ξ",
	0x79: "ψ", 0x7A: "ζ", 0x44: "Δ", 0x53: "Σ", 0x57: "Ω", 0x47: "Γ", 0x46: "Φ", 0x50: "Π",
}

// symbolText maps text in a symbol font, and private use characters left by
// such fonts, to ordinary characters.
func symbolText(s string, f format) string {
	if !f.symbol && !f.wingdings && !strings.ContainsFunc(s, isPrivate) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteString(symbolRune(r, f))
	}
	return b.String()
}

func isPrivate(r rune) bool { return r >= 0xF020 && r <= 0xF0FF }

func symbolRune(r rune, f format) string {
	code := r
	if isPrivate(r) {
		code = r - 0xF000
	}
	table := symbolFont
	if f.wingdings {
		table = wingdings
	}
	if s, ok := table[code]; ok && (f.symbol || f.wingdings || isPrivate(r)) {
		return s
	}
	if isPrivate(r) {
		return "•"
	}
	return string(r)
}

// isDrawn reports whether a sign is drawn as a shape, because few text faces
// have it and forms need it.
func isDrawn(r rune) bool {
	switch r {
	case '☐', '☑', '☒', '■', '□', '▪', '▫', '◻', '◼':
		return true
	}
	return false
}
