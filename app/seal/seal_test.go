package seal_test

import (
	"crypto/rand"
	"errors"
	"testing"

	"paraph/app/seal"
)

func random(n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := rand.Read(b)
	return b, err
}

func box(t *testing.T, key, purpose string) *seal.Box {
	t.Helper()
	b, err := seal.New([]byte(key), purpose, random)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOnlyTheSameKeyPurposeAndOwnerOpen(t *testing.T) {
	t.Parallel()
	b := box(t, "key", "letters")
	sealed, err := b.Seal("ann", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.Seal("ann", []byte("secret"))
	if err != nil || string(again) == string(sealed) {
		t.Errorf("the same secret looks the same twice: %v", err)
	}
	if got, err := b.Open("ann", sealed); err != nil || string(got) != "secret" {
		t.Errorf("got %q, %v", got, err)
	}
	for name, open := range map[string]func() ([]byte, error){
		"another key":     func() ([]byte, error) { return box(t, "other", "letters").Open("ann", sealed) },
		"another purpose": func() ([]byte, error) { return box(t, "key", "codes").Open("ann", sealed) },
		"another owner":   func() ([]byte, error) { return b.Open("ben", sealed) },
		"a cut":           func() ([]byte, error) { return b.Open("ann", sealed[:len(sealed)-1]) },
		"nothing":         func() ([]byte, error) { return b.Open("ann", nil) },
		"a changed bit": func() ([]byte, error) {
			changed := append([]byte(nil), sealed...)
			changed[len(changed)-1] ^= 1
			return b.Open("ann", changed)
		},
	} {
		if _, err := open(); !errors.Is(err, seal.ErrSealed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
