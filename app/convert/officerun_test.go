package convert_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"paraph/app/apptest/patience"
	"paraph/app/convert"
)

// jobs prepares files for a run.
func jobs(t *testing.T, o *convert.Office, files ...[]byte) (all []*convert.OfficeJob) {
	t.Helper()
	for _, f := range files {
		j, err := o.Prepare(t.Context(), bytes.NewReader(f), "")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, j)
	}
	return all
}

// delivered fails the test unless the PDF of a job has some text.
func delivered(t *testing.T, j *convert.OfficeJob, want string) {
	t.Helper()
	var out bytes.Buffer
	if err := j.Deliver(&out); err != nil {
		t.Errorf("%s: %v", want, err)
	} else if got := pdfText(t, out.Bytes()); !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// undelivered fails the test unless a job is refused.
func undelivered(t *testing.T, j *convert.OfficeJob) {
	t.Helper()
	var out bytes.Buffer
	if err := j.Deliver(&out); !errors.Is(err, convert.ErrDamaged) || out.Len() > 0 {
		t.Errorf("%v and %d bytes of a file that was not converted", err, out.Len())
	}
}

// closed closes jobs and fails the test if they leave anything behind.
func closed(t *testing.T, o *convert.Office, all []*convert.OfficeJob) {
	t.Helper()
	for _, j := range all {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
	empty(t, o.Dir)
}

func TestOneRunConvertsSeveralFiles(t *testing.T) {
	t.Parallel()
	o := office(t)
	files := [][]byte{word(t, "<w:p><w:r>", "")} // a bad file must not spoil the others
	for i := range 15 {
		files = append(files, word(t, say(fmt.Sprintf("Contract number %d.", i)), ""))
	}
	all := jobs(t, o, files...)
	if err := o.Run(t.Context(), all...); err != nil {
		t.Error(err)
	}
	for i, j := range all[1:] {
		delivered(t, j, fmt.Sprintf("Contract number %d.", i))
	}
	closed(t, o, all)
}

// TestFileTooLargeForARunIsConvertedAlone converts a file that exceeds its share of the output that
// several may have, but not that of a single file.
func TestFileTooLargeForARunIsConvertedAlone(t *testing.T) {
	t.Parallel()
	o := office(t)
	o.MaxOutput = 900 << 10
	all := jobs(t, o, word(t, say("First."), ""), word(t, say("Large.")+randomText(10_000), ""), word(t, say("Last."), ""))
	if err := o.Run(t.Context(), all...); err == nil {
		delivered(t, all[2], "Last.") // the program may also be killed for writing too much
	}
	delivered(t, all[0], "First.")
	undelivered(t, all[1])
	if err := o.Run(t.Context(), all[1]); err != nil {
		t.Error(err)
	}
	delivered(t, all[1], "Large.")
	closed(t, o, all)
}

// randomText returns paragraphs that don't compress well.
func randomText(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for range n {
		b.WriteString(say(fmt.Sprintf("%x %x", random.Uint64(), random.Uint64())))
	}
	return b.String()
}

// TestRunEndsInTheMiddle cancels a run, and lets LibreOffice crash in another, when the first file
// is done.
func TestRunEndsInTheMiddle(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{"cancelled": context.Canceled, "crashed": convert.ErrDamaged} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := office(t)
			all := jobs(t, o, word(t, say("First."), ""), word(t, randomText(60_000), ""), word(t, say("Last."), ""))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- o.Run(ctx, all...) }()
			patience.Until(t, "the second file is being converted", func() (string, bool) {
				made, err := filepath.Glob(filepath.Join(o.Dir, "office-run-*", "out", "*.pdf"))
				return fmt.Sprint(made, err), len(made) > 0
			})
			if name == "cancelled" {
				cancel()
			} else {
				crash(t, o.Dir)
			}
			if err := <-ended; !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
			undelivered(t, all[2])
			if err := o.Run(t.Context(), all[2]); err != nil {
				t.Error(err)
			}
			delivered(t, all[2], "Last.")
			closed(t, o, all)
		})
	}
}

// crash kills the LibreOffice that uses files of a folder.
func crash(t *testing.T, dir string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		line, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(line, []byte("soffice.bin")) || !bytes.Contains(line, []byte(dir)) {
			continue // another process, or one that has ended meanwhile
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatal("LibreOffice is not running")
}

// TestRunIsBrokenByOneFile runs a program that crashes or hangs at the second of several files.
func TestRunIsBrokenByOneFile(t *testing.T) {
	t.Parallel()
	const loop = `n=0; while [ $# -gt 0 ]; do case $1 in
--outdir) out=$2; mkdir -p $2; shift;;
*.docx) n=$((n + 1)); [ $n -ne 2 ] || { %s; }; printf '%%%%PDF-1.4 %%%%%%%%EOF' > $out/$(basename $1 .docx).pdf;;
esac; shift; done`
	for name, breaks := range map[string]string{
		"crash": `kill -9 $$`, "failure": `exit 1`, "hang": `sleep 600`, "endless loop": `while :; do :; done`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := fakeOffice(t, fmt.Sprintf(loop, breaks))
			o.Timeout = 6 * time.Second
			all := jobs(t, o, word(t, say("1"), ""), word(t, say("2"), ""), word(t, say("3"), ""))
			if err := o.Run(t.Context(), all...); err == nil {
				t.Error("no error")
			}
			if err := all[0].Deliver(new(bytes.Buffer)); err != nil {
				t.Errorf("the first file: %v", err)
			}
			undelivered(t, all[1])
			undelivered(t, all[2])
			if err := o.Run(t.Context(), all[2]); err != nil {
				t.Error(err)
			}
			if err := all[2].Deliver(new(bytes.Buffer)); err != nil {
				t.Errorf("the last file alone: %v", err)
			}
			closed(t, o, all)
		})
	}
}

// TestFilesOfARunShareItsLimits shows that several files have no more time and output than one.
func TestFilesOfARunShareItsLimits(t *testing.T) {
	t.Parallel()
	limits := filepath.Join(t.TempDir(), "limits")
	o := fakeOffice(t, `sleep 0.2; ulimit -t >> `+limits+`; ulimit -f >> `+limits)
	o.MaxOutput, o.Timeout = 8<<20, time.Minute
	all := jobs(t, o, word(t, say("1"), ""), word(t, say("2"), ""))
	for _, run := range [][]*convert.OfficeJob{all[:1], all} {
		if err := o.Run(t.Context(), run...); err != nil {
			t.Error(err)
		}
	}
	got, err := os.ReadFile(limits)
	if want := "61\n16384\n11\n8192\n"; string(got) != want {
		t.Errorf("limits %q, want %q: %v", got, want, err)
	}
	closed(t, o, all)
}
