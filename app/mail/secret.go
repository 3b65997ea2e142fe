package mail

import (
	"fmt"
	"log/slog"
)

// hidden is printed in place of a Secret.
const hidden = "[secret]"

// Secret holds a password. However it is printed, logged or encoded it shows
// only that it is there; Reveal is the one way to the text. The zero value is
// no secret.
type Secret struct{ text *string }

// NewSecret hides the text; an empty text is no secret.
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

// IsZero says that there is no secret.
func (s Secret) IsZero() bool { return s.text == nil }

// String is "[secret]", or empty when there is none.
func (s Secret) String() string {
	if s.text == nil {
		return ""
	}
	return hidden
}

// Format answers every verb of package fmt with String.
func (s Secret) Format(f fmt.State, _ rune) {
	// An error here is the writer's, who learns of it.
	_, _ = f.Write([]byte(s.String()))
}

// LogValue is String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText is String, for JSON and other encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText takes the text, for configuration.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}
