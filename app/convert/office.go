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
)

// Office converts by LibreOffice, run without a window as a process of its own
// for each batch of files. The zero value of a field is its default; set them
// before the first Convert. It is safe for concurrent use.
//
// Each run has a fresh profile in which macros are disabled, links are never
// updated and every address goes to a proxy that does not exist; the files
// have lost their links to outside resources before. The run is killed with
// all its children at the time limit.
type Office struct {
	Path      string        // the soffice program
	Dir       string        // where scratch folders are made; default os.TempDir()
	Timeout   time.Duration // of one run; default two minutes
	MaxInput  int64         // bytes; default 100 MB
	MaxOutput int64         // bytes of PDF; default 200 MB
	Memory    int64         // bytes of address space of a run, where the system can limit it; default 4 GB
	Parallel  int           // runs at once; default 1
	Batch     int           // files of one run, taken from those that wait; default 8

	once    sync.Once
	slots   chan struct{}
	mu      sync.Mutex
	waiting []*officeJob
}

// ErrTimeout: LibreOffice did not finish in time and was killed.
var ErrTimeout = errors.New("convert: time limit reached")

// FindOffice gives LibreOffice at path, or, if path is empty, where it usually
// is. False means that it is not there.
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

// Convert writes the DOCX in r as PDF to w. It waits for its turn; files that
// wait together are converted in one run. Only a whole PDF is written to w.
func (o *Office) Convert(ctx context.Context, r io.Reader, w io.Writer) (err error) {
	o.once.Do(o.prepare)
	dir, err := os.MkdirTemp(o.Dir, "office-")
	if err != nil {
		return err
	}
	job := &officeJob{ctx: ctx, dir: dir, done: make(chan struct{})}
	defer func() { err = errors.Join(err, job.remove()) }()
	if err := o.accept(job, r); err != nil {
		return err
	}
	if err := o.await(job); err != nil {
		return err
	}
	return o.deliver(job, w)
}

func (o *Office) prepare() {
	o.Timeout = orDefault(o.Timeout, 2*time.Minute)
	o.MaxInput = orDefault(o.MaxInput, 100<<20)
	o.MaxOutput = orDefault(o.MaxOutput, 200<<20)
	o.Memory = orDefault(o.Memory, 4<<30)
	o.Parallel = orDefault(o.Parallel, 1)
	o.Batch = orDefault(o.Batch, 8)
	o.slots = make(chan struct{}, o.Parallel)
}

func orDefault[T int | int64 | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

// accept stores the upload and makes the copy that LibreOffice will see.
func (o *Office) accept(job *officeJob, r io.Reader) (err error) {
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
		return refuse.TooLarge("The file is larger than %d MB.", o.MaxInput>>20)
	}
	return disarm(job.ctx, f, n, job.input())
}

// await puts the job into the queue and takes part in working it off: whoever
// gets a slot runs the files that wait, its own or not.
func (o *Office) await(job *officeJob) error {
	o.mu.Lock()
	o.waiting = append(o.waiting, job)
	o.mu.Unlock()
	slots := o.slots
	for {
		select {
		case <-job.done:
			return job.err
		case <-job.ctx.Done():
			if o.withdraw(job) {
				return job.ctx.Err()
			}
			<-job.done // a run has it, and ends within the time limit
			return errors.Join(job.ctx.Err(), job.err)
		case slots <- struct{}{}:
			batch := o.take()
			o.runBatch(batch)
			<-o.slots
			if len(batch) == 0 {
				slots = nil // another run has the job: only wait
			}
		}
	}
}

func (o *Office) withdraw(job *officeJob) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, j := range o.waiting {
		if j == job {
			o.waiting = append(o.waiting[:i], o.waiting[i+1:]...)
			return true
		}
	}
	return false
}

func (o *Office) take() []*officeJob {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := min(len(o.waiting), o.Batch)
	batch := append([]*officeJob(nil), o.waiting[:n]...)
	o.waiting = o.waiting[n:]
	return batch
}

// runBatch converts all, and those that came to nothing once more by
// themselves, because one bad file may take the others down with it.
func (o *Office) runBatch(batch []*officeJob) {
	if len(batch) > 1 && o.run(batch) != nil {
		for _, j := range batch {
			j.err = j.discard()
		}
	}
	for _, j := range batch {
		if j.err == nil && !j.hasOutput() && j.ctx.Err() == nil {
			j.err = o.run([]*officeJob{j})
		}
		if j.err == nil && !j.hasOutput() {
			j.err = errors.Join(j.ctx.Err(), refuse.Damaged(nil, "LibreOffice could not read the file."))
		}
		close(j.done)
	}
}

// run starts LibreOffice once. Its time is bounded, and it ends when nobody
// wants any of its results any more.
func (o *Office) run(batch []*officeJob) error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(batch[0].ctx), o.Timeout, ErrTimeout)
	defer cancel()
	var wanted sync.WaitGroup
	wanted.Add(len(batch))
	for _, j := range batch {
		stop := context.AfterFunc(j.ctx, wanted.Done)
		defer func() {
			if stop() {
				wanted.Done()
			}
		}()
	}
	go func() { // ends with the function: every job is counted down by then
		wanted.Wait()
		cancel()
	}()
	home := batch[0].dir
	if err := writeProfile(filepath.Join(home, "profile")); err != nil {
		return err
	}
	if err := o.command(ctx, batch, home); err != nil {
		return err
	}
	for _, j := range batch {
		if err := j.collect(filepath.Join(home, "out")); err != nil {
			return err
		}
	}
	return nil
}

func (o *Office) command(ctx context.Context, batch []*officeJob, home string) error {
	args := []string{
		"-env:UserInstallation=" + fileURL(filepath.Join(home, "profile")),
		"--headless", "--invisible", "--nologo", "--nodefault", "--nolockcheck", "--norestore", "--nofirststartwizard",
		"--infilter=MS Word 2007 XML", "--convert-to", "pdf:writer_pdf_Export", "--outdir", filepath.Join(home, "out"),
	}
	for _, j := range batch {
		args = append(args, j.input())
	}
	said := &tail{limit: 2000}
	cmd := exec.CommandContext(ctx, o.Path, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = home, officeEnv(home), said, said
	cmd.WaitDelay = 5 * time.Second
	isolate(cmd)
	err := o.start(cmd)
	switch {
	case errors.Is(context.Cause(ctx), ErrTimeout):
		return refuse.Because(ErrTimeout, "The file could not be converted within %s.", o.Timeout)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return refuse.Damaged(fmt.Errorf("%w: %s", err, said.clean(home)), "LibreOffice failed on the file.")
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

// deliver copies the result after checking that it is a whole PDF.
func (o *Office) deliver(job *officeJob, w io.Writer) (err error) {
	f, err := os.Open(job.output())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() > o.MaxOutput:
		return refuse.TooLarge("The converted file is larger than %d MB.", o.MaxOutput>>20)
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
