package page

import (
	"bytes"
	"crypto/rand"
	"math/big"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"
)

// minCompressed is the size in bytes below which compressing a page isn't worth it.
const minCompressed = 1 << 10

// maxPadding is the largest number of bytes added to a compressed page.
const maxPadding = 100

// compressors are reused, since each takes several hundred kilobytes.
var compressors = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.DefaultCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	return z
}}

// sendPage sends a page, compressed if that is safe.
//
// The size of a compressed page reveals whether text that an attacker puts into it
// resembles a secret in it (BREACH). Therefore:
//   - the token of the forms differs in every response (maskToken);
//   - an attacker controls the address and the form, so a page that repeats part of
//     its query, and every response to a form, is sent uncompressed;
//   - random padding blurs the size of all other pages (as in Django's
//     GZipMiddleware), since other people can put names and messages on them too.
//
// A public page has no secrets.
func (r *Request) sendPage(status int, html []byte, public bool) error {
	r.Status(status)
	if len(html) < minCompressed || status != fiber.StatusOK || r.Method() != fiber.MethodGet {
		return r.Send(html)
	}
	r.Vary(fiber.HeaderAcceptEncoding)
	if !AcceptsGzip(r.Ctx) || !public && r.repeatsQuery(html) {
		return r.Send(html)
	}
	small, err := compressPadded(html)
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentEncoding, "gzip")
	return r.Send(small)
}

// repeatsQuery reports whether a page contains a word of its address's query.
// Words of one or two letters are too short for compression to find.
func (r *Request) repeatsQuery(html []byte) bool {
	args := r.Context().QueryArgs()
	if args.Len() == 0 {
		return false
	}
	text := strings.ToLower(string(html))
	for _, value := range args.All() {
		for word := range strings.FieldsFuncSeq(strings.ToLower(string(value)), notInWord) {
			if len(word) > 2 && strings.Contains(text, word) {
				return true
			}
		}
	}
	return false
}

// notInWord reports whether a character separates words, or may be escaped
// differently in HTML and in the address.
func notInWord(c rune) bool { return strings.ContainsRune(" \t\r\n<>&\"'+/=;", c) }

// compressPadded compresses a page and pads it by a random number of bytes. The
// padding is the optional file name in the gzip header, which decoders skip
// (RFC 1952 §2.3).
func compressPadded(html []byte) ([]byte, error) {
	length, err := rand.Int(rand.Reader, big.NewInt(maxPadding+1))
	if err != nil {
		return nil, err
	}
	z := compressors.Get().(*gzip.Writer)
	defer compressors.Put(z)
	var out bytes.Buffer
	z.Reset(&out)
	z.Name = strings.Repeat("x", int(length.Int64()))
	if _, err := z.Write(html); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
