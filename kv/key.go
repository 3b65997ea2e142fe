package kv

import (
	"bytes"
	"strings"
	"time"
	"unsafe"
)

// Key is an index key: delimited parts in order, so that comparing bytes compares part by part,
// and a key is never a prefix of another by accident: K("a") is a prefix of K("a", "b") but not
// of K("ab").
//
// Parts may hold any bytes but should be UTF-8: a descending scan may miss a part that begins
// with several bytes of 0xFF.
type Key []byte

// A part ends with 0x00 0x01; a zero byte inside it is written 0x00 0xFF.
const (
	zero       = 0x00
	endOfPart  = 0x01
	zeroInPart = 0xFF
)

var partEnd = []byte{zero, endOfPart}

// K builds a key of parts.
func K(parts ...string) Key {
	n := 0
	for _, p := range parts {
		n += len(p) + len(partEnd)
	}
	k := make(Key, 0, n)
	for _, p := range parts {
		k = appendPart(k, p)
	}
	return k
}

// With returns the key k followed by more parts.
func (k Key) With(parts ...string) Key {
	out := append(make(Key, 0, len(k)+32), k...)
	for _, p := range parts {
		out = appendPart(out, p)
	}
	return out
}

// Starting returns a prefix: the key k followed by a part that begins with s.
func (k Key) Starting(s string) Key {
	open := K(s)
	return append(append(make(Key, 0, len(k)+len(open)), k...), open[:len(open)-len(partEnd)]...)
}

// Parts returns the parts of a key.
func (k Key) Parts() []string {
	var out []string
	for rest := []byte(k); len(rest) > 0; {
		i := bytes.Index(rest, partEnd)
		if i < 0 {
			return append(out, unescape(rest))
		}
		out = append(out, unescape(rest[:i]))
		rest = rest[i+len(partEnd):]
	}
	return out
}

// KeyTime returns a part that orders by time, to the microsecond.
func KeyTime(t time.Time) string {
	return KeyUint(uint64(t.UnixMicro()) ^ 1<<63) // flipped sign: times before 1970 come first
}

const digits = "0123456789abcdefghijklmnopqrstuv"

// KeyUint returns a part that orders by number: 13 digits in base 32.
func KeyUint(n uint64) string {
	var b [13]byte
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = digits[n&31]
		n >>= 5
	}
	return string(b[:])
}

func appendPart(k []byte, p string) []byte {
	for {
		i := strings.IndexByte(p, zero)
		if i < 0 {
			break
		}
		k = append(k, p[:i]...)
		k = append(k, zero, zeroInPart)
		p = p[i+1:]
	}
	k = append(k, p...)
	return append(k, zero, endOfPart)
}

func unescape(p []byte) string {
	if bytes.IndexByte(p, zero) < 0 {
		return string(p)
	}
	return string(bytes.ReplaceAll(p, []byte{zero, zeroInPart}, []byte{zero}))
}

// lastPart splits the last part off a key.
func lastPart(k []byte) (head []byte, part string, ok bool) {
	body, ok := bytes.CutSuffix(k, partEnd)
	if !ok {
		return nil, "", false
	}
	at := bytes.LastIndex(body, partEnd)
	if at < 0 {
		return nil, unescape(body), true
	}
	at += len(partEnd)
	return k[:at], unescape(body[at:]), true
}

// firstParts returns the prefix of k that holds its first n parts.
func firstParts(k []byte, n int) (group []byte, ok bool) {
	at := 0
	for range n {
		i := bytes.Index(k[at:], partEnd)
		if i < 0 {
			return nil, false
		}
		at += i + len(partEnd)
	}
	return k[:at], true
}

// after returns the smallest key greater than all that begin with k; nil if there is none.
func after(k []byte) []byte {
	for i := len(k) - 1; i >= 0; i-- {
		if k[i] < 0xFF {
			out := bytes.Clone(k[:i+1])
			out[i]++
			return out
		}
	}
	return nil
}

// Spaces of the store; the first byte of every key.
const (
	spaceMeta   = 'm'
	spaceRecord = 'd' // name, id
	spaceIndex  = 'i' // name, index, key, id
	spaceRank   = 'r' // name of the counter, lower bound of the block
	spaceLog    = 'l' // name, kind, ...
	spacePlace  = 'p' // follower
	spaceGone   = 'x' // version, part; see deletions.go
)

func space(kind byte, names ...string) []byte {
	return append([]byte{kind}, K(names...)...)
}

// asText returns a key as a string without copying it: nobody may change it any more.
func asText(key []byte) string { return unsafe.String(unsafe.SliceData(key), len(key)) }

// asBytes returns the bytes of a key without copying them: nobody may change them.
func asBytes(key string) []byte { return unsafe.Slice(unsafe.StringData(key), len(key)) }

// join concatenates into a new slice.
func join(parts ...[]byte) []byte {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	out := make([]byte, 0, n)
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}
