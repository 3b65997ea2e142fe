package convert

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// Changed tells how a file differs from its copy for LibreOffice.
type Changed struct {
	Removed int // references to something outside of the file
	Undated int // fields that show a day, with which none was saved
}

func (c *Changed) add(o Changed) { c.Removed, c.Undated = c.Removed+o.Removed, c.Undated+o.Undated }

// OfficeJob is the conversion of one file by LibreOffice, with a scratch folder (0700) of its own.
type OfficeJob struct {
	Changed

	dir   string
	limit int64 // bytes of PDF
}

// input returns the path of the file that LibreOffice sees. Its name is unique, because the PDF
// gets the same.
func (j *OfficeJob) input() string { return filepath.Join(j.dir, filepath.Base(j.dir)+".docx") }

// made returns the path at which LibreOffice puts the PDF in a folder.
func (j *OfficeJob) made(out string) string { return filepath.Join(out, filepath.Base(j.dir)+".pdf") }

// output returns the path of the PDF, which exists after a run if LibreOffice could read
// the file.
func (j *OfficeJob) output() string { return filepath.Join(j.dir, "document.pdf") }

// take moves what a run has made for the job to its folder.
func (j *OfficeJob) take(out string) error {
	err := os.Rename(j.made(out), j.output())
	if errors.Is(err, os.ErrNotExist) {
		return nil // Deliver reports it
	}
	return err
}

// Close removes the job's folder. The job must not be running.
func (j *OfficeJob) Close() error { return os.RemoveAll(j.dir) }

// Deliver writes the PDF to w after checking that it is complete. If it isn't, the file is
// refused and nothing is written.
func (j *OfficeJob) Deliver(w io.Writer) (err error) {
	f, err := os.Open(j.output())
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
	case info.Size() > j.limit:
		return refuse.TooLarge("converted", fault.Number("limit", j.limit>>20))
	}
	if err := wholePDF(f, info.Size()); err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return err
}

func wholePDF(f io.ReaderAt, size int64) error {
	end := make([]byte, min(size, 1024))
	start := make([]byte, 5)
	_, err1 := f.ReadAt(start, 0)
	_, err2 := f.ReadAt(end, size-int64(len(end)))
	if err := errors.Join(ignoreEOF(err1), ignoreEOF(err2)); err != nil {
		return err
	}
	if string(start) != "%PDF-" || !bytes.Contains(end, []byte("%%EOF")) {
		return refuse.Damaged(errors.New("LibreOffice did not finish the converted file"))
	}
	return nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
