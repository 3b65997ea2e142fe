package app_test

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// TestCorpus takes every PDF in the folders listed in PARAPH_CORPUS, or in
// testdata, through the whole product: each is refused at upload with a sentence,
// or it completes and all judges accept it. The pictures of its pages look like
// poppler's; for third-party files, differences are only listed.
func TestCorpus(t *testing.T) {
	t.Parallel()
	folders := os.Getenv("PARAPH_CORPUS")
	if folders == "" {
		folders = filepath.Join("..", "testdata", "pdf")
	}
	s := apptest.New(t)
	j := newJudges(t, s)
	c := s.Company(t)
	sum := &tally{chromium: newChromium(t), ours: os.Getenv("PARAPH_CORPUS") == ""}
	t.Cleanup(func() { t.Log(sum) }) // after the last subtest
	for _, dir := range filepath.SplitList(folders) {
		paths, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(paths), err)
		}
		for _, path := range paths {
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				upload, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				how := j.throughout(t, c, filepath.Base(path), upload, sum)
				if t.Failed() {
					how = "failed"
				}
				sum.add(how, filepath.Base(path), time.Since(began))
			})
		}
	}
}

// tally counts the outcomes of files.
type tally struct {
	chromium *chromium
	ours     bool // the files are our own

	mu     sync.Mutex
	ends   map[string][]string
	slow   []string
	total  time.Duration
	pages  int      // compared with poppler's pictures
	unlike []string // pages that differ
	opened int      // files that Chromium opened
}

// look compares the product's pictures of a completed file, and opens it in
// Chromium's viewer; for third-party files, only a sample.
func (s *tally) look(t *testing.T, j *judges, c *apptest.Client, doc *apptest.Response, file []byte) {
	t.Helper()
	name := doc.Text(t, "files.0.name")
	pages, unlike := j.pictures(t, c, doc, j.file(t, file))
	if s.ours && len(unlike) > 0 {
		t.Errorf("pictures differ from poppler's: %q", unlike)
	}
	opened := 0
	h := fnv.New32()
	_, _ = h.Write([]byte(name)) // a hash never fails to write
	if s.ours || h.Sum32()%20 == 0 {
		if err := s.chromium.opens(t, file, patience.Limit()); err != nil {
			t.Error(err)
		}
		opened = 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages += pages
	s.opened += opened
	for _, u := range unlike {
		s.unlike = append(s.unlike, name+" "+u)
	}
}

func (s *tally) add(how, name string, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends == nil {
		s.ends = map[string][]string{}
	}
	s.ends[how] = append(s.ends[how], name)
	s.total += took
	if took > 10*time.Second {
		s.slow = append(s.slow, fmt.Sprintf("%s %s", name, took.Round(time.Second)))
	}
}

func (s *tally) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	n := 0
	for how, names := range s.ends {
		line := fmt.Sprintf("%5d %s", len(names), how)
		if how != "completed" {
			line += " — " + strings.Join(names, " ")
		}
		lines = append(lines, line)
		n += len(names)
	}
	slices.Sort(lines)
	slices.Reverse(lines)
	slices.Sort(s.unlike)
	return fmt.Sprintf("%d files in %s of work\n%s\nslow: %s\nChromium opened %d\n%d pictures of %d pages differ from poppler's\n%s", n, s.total.Round(time.Second),
		strings.Join(lines, "\n"), strings.Join(s.slow, ", "), s.opened, len(s.unlike), s.pages, strings.Join(s.unlike, "\n"))
}

// throughout takes one file as far as possible and returns the outcome.
func (j *judges) throughout(t *testing.T, c *apptest.Client, name string, upload []byte, sum *tally) string {
	t.Helper()
	file := apptest.File{Name: name, Content: upload}
	r := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": name, "invitations": apptest.List{guest(0), guest(1)}}, file))
	if r.Status != http.StatusCreated {
		return "refused: " + strings.ReplaceAll(understood(t, r, name), name, "…")
	}
	at := "/documents/" + r.Text(t, "id")
	codes := r.Texts(t, "files.0.findings", "code")
	signed := slices.Contains(codes, "already_signed")
	if !signed {
		last := r.Int(t, "files.0.pages")
		c.Put(t, at+"/fields", apptest.Map{"fields": apptest.List{
			apptest.Map{"type": "signature", "invitation_id": r.Text(t, "invitations.0.id"), "page": 1, "x": .1, "y": .1, "width": .3, "height": .1},
			apptest.Map{"type": "text", "name": "note", "invitation_id": r.Text(t, "invitations.0.id"), "page": last, "x": .5, "y": .5, "width": .3, "height": .05},
			apptest.Map{"type": "checkbox", "name": "agreed", "invitation_id": r.Text(t, "invitations.0.id"), "page": 1, "x": .5, "y": .7, "width": .05, "height": .03},
		}}).Want(t, 200)
	}
	doc := c.Post(t, at+"/send", apptest.Map{}).Want(t, 200)
	d := deal{signs: []apptest.Map{{}, {}}}
	if !signed {
		d.signs[0] = apptest.Map{"fields": apptest.Map{"note": "Noted, 合同.", "agreed": true}, "signature": apptest.Map{"type": "drawn", "data": wavy}}
	}
	if doc = d.sign(t, c, doc); doc.Text(t, "status") != "completed" {
		t.Fatalf("the document is neither refused nor completed: %s", doc.Body)
	}
	b := c.Post(t, at+"/download", apptest.Map{"format": "pdf"}).Want(t, 200).Body
	rewritten := slices.Contains(codes, "repaired") || slices.Contains(codes, "encrypted")
	j.corpusFile(t, b, upload, signed, rewritten)
	sum.look(t, j, c, doc, b)
	switch {
	case signed:
		return "completed, was signed before"
	case slices.Contains(codes, "repaired"):
		return "completed, repaired"
	case rewritten:
		return "completed, was encrypted"
	}
	return "completed"
}

// corpusFile judges a third-party file. Files that a judge couldn't read before
// signing and foreign signatures that were already broken don't count as
// failures.
func (j *judges) corpusFile(t *testing.T, b, upload []byte, signed, rewritten bool) {
	t.Helper()
	path, was := j.file(t, b), j.file(t, upload)
	ours := 3
	if signed {
		ours = 2 // a signed file can no longer be certified
	}
	if !rewritten && !strings.HasPrefix(string(b), string(upload)) {
		t.Error("the upload is not the first revision, byte for byte")
	}
	before := validBefore(t, was, signed)
	out, err := run(t, "pdfsig", "-nssdir", j.nss, path)
	if n := strings.Count(out, "Signature is Valid."); err != nil || n < ours+before {
		t.Errorf("pdfsig (%v): %d valid, want %d and %d earlier ones:\n%s", err, n, ours, before, out)
	}
	qpdfCheck(t, path, upload)
	r := j.report(t, path)
	good := 0
	for _, s := range r.Signatures {
		if strings.HasPrefix(s.Field, "paraph_") && s.Trusted && (s.Kind == "timestamp" || s.Level == "B-LTA") {
			good++
		}
	}
	if good != ours+1 {
		t.Errorf("our verifier: %d of %d trusted and B-LTA: %+v", good, ours+1, r.Signatures)
	}
	from := 0
	if !rewritten {
		from = len(upload)
	}
	found := extract(t, b, from)
	j.openssl(t, found)
	if _, err := run(t, "mutool", "info", was); err == nil && !signed {
		mutoolHistory(t, b, found)
	}
	strangers(t, path, was, ours+1)
}

// validBefore counts the signatures that were valid in the upload.
func validBefore(t *testing.T, was string, signed bool) int {
	t.Helper()
	if !signed {
		return 0
	}
	out, err := run(t, "pdfsig", "-nocert", was)
	if err != nil {
		t.Logf("pdfsig on the upload: %v", err)
	}
	return strings.Count(out, "Signature is Valid.")
}

// strangers runs PDFBox and Bouncy Castle, unless they can't read the upload.
func strangers(t *testing.T, path, was string, ours int) {
	t.Helper()
	v, err := startVerifier()
	if err != nil {
		t.Fatal(err)
	}
	lines, err := v.ask(path)
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, l := range lines {
		if strings.HasPrefix(l, "good ") {
			good++
		}
	}
	if good >= ours {
		return
	}
	if old, err := v.ask(was); err != nil || len(old) > 0 && strings.HasPrefix(old[0], "bad file") {
		t.Logf("PDFBox can't read the upload: %v %v", old, err)
		return
	}
	t.Errorf("PDFBox and Bouncy Castle: %d of %d good:\n%s", good, ours, strings.Join(lines, "\n"))
}

// technical lists words that no refusal may contain.
var technical = regexp.MustCompile(`(?i)panic|runtime|goroutine|nil\b|\bEOF\b|errno|0x|worker|xref|offset|%!|\bpdf:`)

// understood checks that a refusal is in plain language, and returns its sentence.
func understood(t *testing.T, r *apptest.Response, name string) string {
	t.Helper()
	if r.Status != http.StatusUnprocessableEntity && r.Status != http.StatusUnsupportedMediaType {
		t.Errorf("status %d: %.300s", r.Status, r.Body)
		return "without a reason"
	}
	sentence := r.Text(t, "message")
	if v, ok := r.Look(t, "errors"); ok {
		for _, all := range v.(apptest.Map) {
			sentence = fmt.Sprint(all.(apptest.List)[0])
		}
	}
	plain := strings.ReplaceAll(sentence, name, "")
	if !strings.HasSuffix(sentence, ".") || !strings.Contains(sentence, name) || technical.MatchString(plain) {
		t.Errorf("not in plain language: %s", sentence)
	}
	return sentence
}
