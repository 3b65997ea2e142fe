package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// Office converts with LibreOffice, which runs headless in a separate process for each file,
// so that files neither block nor crash each other. A field's zero value means its default;
// fields must be set before the first Convert. Office is safe for concurrent use; the caller
// limits the number of simultaneous conversions.
//
// Each run has a fresh profile in which macros are disabled, links are never updated and all
// requests go to a proxy that does not exist. Links to outside resources are removed from
// the file beforehand. At the time limit, the process is killed with all its children.
type Office struct {
	Path      string        // the soffice executable
	Dir       string        // parent of scratch folders; default os.TempDir()
	Timeout   time.Duration // for one run and for its CPU time; default one minute
	MaxInput  int64         // bytes; default 100 MB
	MaxOutput int64         // bytes of PDF; default 200 MB
	Memory    int64         // bytes of address space of a run, if the system can limit it; default 4 GB

	once sync.Once
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

// Convert writes the DOCX in r as PDF to w. It writes nothing until the PDF is complete.
func (o *Office) Convert(ctx context.Context, r io.Reader, w io.Writer) (err error) {
	o.once.Do(o.prepare)
	dir, err := os.MkdirTemp(o.Dir, "office-")
	if err != nil {
		return err
	}
	job := officeJob{dir}
	defer func() { err = errors.Join(err, job.remove()) }()
	if err := o.accept(ctx, job, r); err != nil {
		return err
	}
	if err := o.run(ctx, job); err != nil {
		return err
	}
	return o.deliver(job, w)
}

func (o *Office) prepare() {
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
func (o *Office) accept(ctx context.Context, job officeJob, r io.Reader) (err error) {
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
	return disarm(ctx, f, n, job.input())
}

// run runs LibreOffice within the time limit and ctx.
func (o *Office) run(ctx context.Context, job officeJob) error {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, ErrTimeout)
	defer cancel()
	if err := writeProfile(job.profile()); err != nil {
		return err
	}
	said := &tail{limit: 2000}
	cmd := exec.CommandContext(ctx, o.Path,
		"-env:UserInstallation="+fileURL(job.profile()),
		"--headless", "--invisible", "--nologo", "--nodefault", "--nolockcheck", "--norestore", "--nofirststartwizard",
		"--infilter=MS Word 2007 XML", "--convert-to", "pdf:writer_pdf_Export", "--outdir", job.out(), job.input())
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = job.dir, officeEnv(job.dir), said, said
	cmd.WaitDelay = 5 * time.Second
	isolate(cmd)
	err := o.start(cmd)
	switch {
	case errors.Is(context.Cause(ctx), ErrTimeout):
		return tooSlow(o.Timeout)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return refuse.Damaged(fmt.Errorf("LibreOffice failed: %w: %s", err, said.clean(job.dir)))
	}
	return nil
}

func (o *Office) start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	limited := limitProcess(cmd.Process.Pid, o.Memory, o.MaxOutput, o.Timeout)
	err := cmd.Wait()
	killGroup(cmd) // children that outlived it
	return errors.Join(err, limited)
}

// deliver copies the result after checking that the PDF is complete.
func (o *Office) deliver(job officeJob, w io.Writer) (err error) {
	f, err := os.Open(job.output())
	if errors.Is(err, os.ErrNotExist) {
		return refuse.Damaged(errUnread)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() == 0:
		return refuse.Damaged(errUnread)
	case info.Size() > o.MaxOutput:
		return refuse.TooLarge("converted", fault.Number("limit", o.MaxOutput>>20))
	}
	if err := wholePDF(f, info.Size()); err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return err
}

func officeEnv(home string) []string {
	const nowhere = "http://127.0.0.1:9" // the discard port: nothing listens
	return []string{
		"HOME=" + home, "TMPDIR=" + home, "TMP=" + home, "TEMP=" + home,
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "SystemRoot=" + os.Getenv("SystemRoot"),
		"http_proxy=" + nowhere, "https_proxy=" + nowhere, "ftp_proxy=" + nowhere, "all_proxy=" + nowhere,
		"SAL_USE_VCLPLUGIN=svp", "SAL_DISABLE_OPENCL=1", "MALLOC_ARENA_MAX=2",
		"OOO_DISABLE_RECOVERY=1", "SOURCE_DATE_EPOCH=" + strconv.Itoa(0),
	}
}
