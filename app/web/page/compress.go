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

// minCompressed is the size in bytes from which a page is sent compressed.
const minCompressed = 1 << 10

// mostPadding is the largest number of bytes that pad a compressed page.
const mostPadding = 100

// compressors are reused: one needs several hundred kilobytes.
var compressors = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.DefaultCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	return z
}}

// sendPage sends a page, compressed if that is safe.
//
// The size of a compressed page reveals whether text that a stranger puts into it
// resembles a secret in it (BREACH). Therefore:
//   - the token of the forms differs in every response (maskToken);
//   - what a stranger can change from one request to the next is the address, so a
//     page that repeats part of its query, and every answer to a form, is sent as
//     it is;
//   - the size of all others is blurred by padding (as in Django's GZipMiddleware),
//     since other people's names and messages are on them too.
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

// notInWord reports whether a character may be written differently in HTML than
// in the address, or separates words.
func notInWord(c rune) bool { return strings.ContainsRune(" \t\r\n<>&\"'+/=;", c) }

// compressPadded compresses a page and adds a random number of bytes: a file name,
// which gzip allows in the header and readers skip (RFC 1952 §2.3).
func compressPadded(html []byte) ([]byte, error) {
	length, err := rand.Int(rand.Reader, big.NewInt(mostPadding+1))
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
