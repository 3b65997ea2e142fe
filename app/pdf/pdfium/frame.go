package pdfium

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Parent and worker exchange frames: a kind, four bytes of length, and the
// payload. The parent sends settings once and the worker answers with an end
// frame; then each request is answered by any number of page or data frames and
// an end frame.
const (
	frameSettings byte = 's' // JSON settings
	frameRequest  byte = 'r' // JSON request
	framePage     byte = 'p' // encoded PageText
	frameData     byte = 'd' // PNG, text or sizes
	frameEnd      byte = 'e' // JSON ending
)

const maxFrame = 256 << 20

const (
	opNone    = "none"
	opPages   = "pages"
	opRender  = "render"
	opText    = "text"
	opPlain   = "plain"
	opRepair  = "repair"
	opFlatten = "flatten"
)

type settings struct {
	CacheDir   string
	FontDir    string
	MemoryMB   int
	CPUSeconds int // for all requests of a process; the parent limits each request
}

type request struct {
	Op       string
	Paths    []string `json:",omitempty"`
	Password string   `json:",omitempty"`
	Page     int      `json:",omitempty"`
	Width    int      `json:",omitempty"`
	MaxBytes int      `json:",omitempty"`
	Out      string   `json:",omitempty"`

	toEnd bool // not canceled once it has begun
}

// ending concludes an answer. Code is empty on success, else a key of codes or
// "other".
type ending struct {
	Code     string `json:",omitempty"`
	Message  string `json:",omitempty"`
	MemoryMB int    // memory of PDFium at the end
}

// codes are the errors that keep their identity across processes.
var codes = []struct {
	code string
	err  error
}{
	{"password", ErrPassword},
	{"damaged", ErrDamaged},
	{"unsupported", ErrUnsupported},
	{"large", ErrTooLarge},
	{"crashed", ErrCrashed},
	{"page", ErrNoPage},
	{"absent", fs.ErrNotExist},
	{"permission", fs.ErrPermission},
}

func endingOf(err error) ending {
	if err == nil {
		return ending{}
	}
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return ending{Code: c.code, Message: err.Error()}
		}
	}
	return ending{Code: "other", Message: err.Error()}
}

// remoteError is an error that occurred in a worker.
type remoteError struct {
	message string
	kind    error // one of codes, or nil
}

func (e *remoteError) Error() string { return e.message }
func (e *remoteError) Unwrap() error { return e.kind }

func (e ending) err() error {
	if e.Code == "" {
		return nil
	}
	for _, c := range codes {
		if e.Code == c.code {
			return &remoteError{e.Message, c.err}
		}
	}
	return &remoteError{message: e.Message}
}

func writeFrame(w io.Writer, kind byte, payload []byte) error {
	if len(payload) > maxFrame {
		return fmt.Errorf("%w: %d bytes of answer", ErrTooLarge, len(payload))
	}
	head := [5]byte{kind}
	binary.BigEndian.PutUint32(head[1:], uint32(len(payload)))
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

func writeJSON(w io.Writer, kind byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFrame(w, kind, b)
}

// readFrame reads one frame. Memory grows with the data received, not with the
// declared length.
func readFrame(r io.Reader) (byte, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, nil, fmt.Errorf("pdfium: frame of %d bytes", n)
	}
	if n <= 1<<20 {
		b := make([]byte, n)
		_, err := io.ReadFull(r, b)
		return head[0], b, err
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, int64(n)); err != nil {
		return 0, nil, err
	}
	return head[0], b.Bytes(), nil
}
