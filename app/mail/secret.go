package mail

import (
	"fmt"
	"log/slog"
)

// hidden is printed in place of a Secret.
const hidden = "[secret]"

// Secret holds a password. However it is printed, logged or encoded, only its presence shows;
// Reveal is the only way to read it. The zero value means no secret.
type Secret struct{ text *string }

// NewSecret wraps the text; an empty text means no secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{text: &text}
}

// Reveal returns the text.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s.text == nil }

// String returns "[secret]", or an empty string if there is none.
func (s Secret) String() string {
	if s.text == nil {
		return ""
	}
	return hidden
}

// Format prints String for every verb of package fmt.
func (s Secret) Format(f fmt.State, _ rune) {
	// A write error reaches the caller of fmt through the writer.
	_, _ = f.Write([]byte(s.String()))
}

// LogValue returns String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText returns String, for JSON and other encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the secret from a configuration.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}
