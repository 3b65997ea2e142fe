package convert

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// Office converts with LibreOffice, which runs headless in a separate process for each file,
// so that files neither block nor crash each other; only files that the caller puts in the same
// [Office.Run] share one. A field's zero value means its default; fields must be set before the
// first Convert. Office is safe for concurrent use; the caller limits the number of simultaneous
// conversions.
//
// A run sees nothing but its files: whatever could reach out of them is removed beforehand, and the process
// can open no other files and has no network, as far as the system can prevent it (see
// [confine.Offered]). Besides, each has a fresh profile in which macros are disabled, links are never updated
// and all requests go to a proxy that does not exist. At the time limit, the process is killed with all its
// children.
type Office struct {
	Unconfined bool          // what runs may reach everything: only for tests, whose program is a script
	Path       string        // the soffice executable
	Self       string        // a program that calls [confine.Become]; default this one
	Dir        string        // parent of scratch folders; default os.TempDir()
	Fonts      FontFiles     // besides those of the machine; nil if there are none
	Timeout    time.Duration // for one run and for its CPU time; default one minute
	MaxInput   int64         // bytes; default 100 MB
	MaxOutput  int64         // bytes of PDF; default 200 MB
	Memory     int64         // bytes of address space of a run, if the system can limit it; default 4 GB

	once  sync.Once
	fonts offeredFonts
	loose bool // files are left as they are, to try what confines the process alone
}

// ErrTimeout means that a conversion exceeded its time limit and was killed.
var ErrTimeout = errors.New("convert: time limit reached")

// errUnread means that LibreOffice exited successfully but wrote nothing.
var errUnread = errors.New("LibreOffice could not read the file")

// FindOffice returns LibreOffice at path or, if path is empty, in its usual locations. It
// returns false if it is not found.
func FindOffice(path string) (*Office, bool) {
	candidates := []string{path}
	if path == "" {
		candidates = officePlaces()
	}
	for _, c := range candidates {
		if found, err := exec.LookPath(c); err == nil {
			return &Office{Path: found}, true
		}
	}
	return nil, false
}

func officePlaces() []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"soffice", "/Applications/LibreOffice.app/Contents/MacOS/soffice"}
	case "windows":
		return []string{"soffice.com", `C:\Program Files\LibreOffice\program\soffice.com`}
	}
	return []string{"soffice", "libreoffice", "/usr/lib/libreoffice/program/soffice", "/opt/libreoffice/program/soffice"}
}

// Convert writes the DOCX in r as PDF to w. It writes nothing until the PDF is complete. Fields with the file's name
// show the one given, "" keeps what they showed. It returns how the file was changed for that.
func (o *Office) Convert(ctx context.Context, r io.Reader, name string, w io.Writer) (changed Changed, err error) {
	job, err := o.Prepare(ctx, r, name)
	if err != nil {
		return Changed{}, err
	}
	defer func() { err = errors.Join(err, job.Close()) }()
	if err := o.Run(ctx, job); err != nil {
		return job.Changed, err
	}
	return job.Changed, job.Deliver(w)
}

// Prepare stores the DOCX in r, which has a name, for a run. The caller must close the job.
func (o *Office) Prepare(ctx context.Context, r io.Reader, name string) (job *OfficeJob, err error) {
	o.once.Do(o.complete)
	dir, err := os.MkdirTemp(o.Dir, "office-")
	if err != nil {
		return nil, err
	}
	job = &OfficeJob{dir: dir, limit: o.MaxOutput}
	if err := o.accept(ctx, job, r, name); err != nil {
		return nil, errors.Join(err, job.Close())
	}
	return job, nil
}

func (o *Office) complete() {
	o.Timeout = orDefault(o.Timeout, time.Minute)
	o.MaxInput = orDefault(o.MaxInput, 100<<20)
	o.MaxOutput = orDefault(o.MaxOutput, 200<<20)
	o.Memory = orDefault(o.Memory, 4<<30)
}

func orDefault[T int | int64 | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

// accept stores the upload and makes the copy that LibreOffice will see.
func (o *Office) accept(ctx context.Context, job *OfficeJob, r io.Reader, name string) (err error) {
	f, err := os.OpenFile(filepath.Join(job.dir, "upload"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	n, err := io.Copy(f, io.LimitReader(r, o.MaxInput+1))
	if err != nil {
		return err
	}
	if n > o.MaxInput {
		return refuse.TooLarge("file", fault.Number("limit", o.MaxInput>>20))
	}
	if o.loose {
		from, err := os.ReadFile(f.Name())
		if err != nil {
			return err
		}
		return os.WriteFile(job.input(), from, 0o600)
	}
	job.Changed, err = disarm(ctx, f, n, name, job.input())
	return err
}
