package page

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
)

// newNonce returns the nonce of a page's style block.
func newNonce() string { return rand.Text() }

// secure sets the security headers of pages, in addition to those of all responses.
func (r *Request) secure() {
	r.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+r.nonce+
		"'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	r.Set(fiber.HeaderXFrameOptions, "DENY")
	r.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	r.Set(fiber.HeaderPermissionsPolicy, "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	r.Set("Cross-Origin-Opener-Policy", "same-origin")
	r.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// FramesOwnPages allows the page to frame other pages of this site.
func (r *Request) FramesOwnPages() {
	r.Set(fiber.HeaderContentSecurityPolicy, r.GetRespHeader(fiber.HeaderContentSecurityPolicy)+"; frame-src 'self'")
}

// FramedByOwnPages allows other pages of this site to frame the page.
func FramedByOwnPages(r *Request) {
	const policy = fiber.HeaderContentSecurityPolicy
	r.Set(policy, strings.Replace(r.GetRespHeader(policy), "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	r.Set(fiber.HeaderXFrameOptions, "SAMEORIGIN")
}

// formCookie holds the secret from which the token of a browser's forms is derived.
const formCookie = "paraph_form"

// formField is the hidden input that carries the token.
const formField = "csrf"

// formToken returns the masked token for this browser's forms. It creates the
// browser's secret if there is none.
func (r *Request) formToken() string {
	secret := r.Cookies(formCookie)
	if len(secret) < 20 || len(secret) > 64 {
		secret = rand.Text()
		r.SetCookie(formCookie, secret, "/", 0)
	}
	return maskToken(r.site.tokenOf(secret))
}

// tokenSize is the size of an unmasked token in bytes.
const tokenSize = 18

func (d *Site) tokenOf(secret string) []byte {
	m := hmac.New(sha256.New, d.Secret)
	m.Write([]byte("form token\x00" + secret))
	return m.Sum(nil)[:tokenSize]
}

// maskToken encodes a token differently each time, as a random mask and the token
// XORed with it. Otherwise the size of a compressed page would reveal the token.
func maskToken(token []byte) string {
	b := make([]byte, 2*tokenSize)
	rand.Read(b[:tokenSize]) // never fails
	subtle.XORBytes(b[tokenSize:], b[:tokenSize], token)
	return base64.RawURLEncoding.EncodeToString(b)
}

// unmaskToken decodes a masked token. It returns nil if the token is malformed.
func unmaskToken(masked string) []byte {
	b, err := base64.RawURLEncoding.DecodeString(masked)
	if err != nil || len(b) != 2*tokenSize {
		return nil
	}
	subtle.XORBytes(b[tokenSize:], b[:tokenSize], b[tokenSize:])
	return b[tokenSize:]
}

// SetCookie sets a cookie that scripts can't read. A lifetime of 0 lasts until the
// browser is closed, a negative one removes it.
func (r *Request) SetCookie(name, value, path string, lifetime time.Duration) {
	c := &fiber.Cookie{Name: name, Value: value, Path: r.Address(path), HTTPOnly: true,
		SameSite: fiber.CookieSameSiteLaxMode, Secure: r.encrypted(), SessionOnly: lifetime == 0}
	switch {
	case lifetime < 0:
		c.Expires = time.Unix(0, 0)
	case lifetime > 0:
		c.MaxAge = int(lifetime.Seconds())
	}
	r.Cookie(c)
}

// CheckOrigin refuses requests from other sites. The origin "null" proves nothing:
// pages with a no-referrer policy send it too.
func (r *Request) CheckOrigin() error {
	switch site := r.Get("Sec-Fetch-Site"); site {
	case "same-origin", "none":
		return nil
	case "":
	default:
		return errCrossSite()
	}
	if origin := r.Get(fiber.HeaderOrigin); origin != "" && origin != "null" && !r.ours(origin) {
		return errCrossSite()
	}
	return nil
}

// CheckToken verifies the token of a form.
func (r *Request) CheckToken(token string) error {
	secret := r.Cookies(formCookie)
	if secret == "" || !hmac.Equal(unmaskToken(token), r.site.tokenOf(secret)) {
		return fault.Forbidden("form_expired")
	}
	return nil
}

func errCrossSite() error { return fault.Forbidden("foreign_form") }
