package api_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// slowOffice returns a stand-in for LibreOffice. A large file takes as long as the
// test wants; began returns how many conversions have started.
func slowOffice(t *testing.T) (change func(*app.Config), began func() int, end func()) {
	t.Helper()
	dir := t.TempDir()
	log, busy, result := filepath.Join(dir, "log"), filepath.Join(dir, "busy"), filepath.Join(dir, "result.pdf")
	script := fmt.Sprintf(`#!/bin/sh
while [ $# -gt 0 ]; do case $1 in --outdir) out=$2; shift;; *.docx) in=$1;; esac; shift; done
echo x >> %s
[ $(wc -c < "$in") -lt 3000 ] || while [ -e %s ]; do sleep 0.05; done
mkdir -p "$out"; cp %s "$out/$(basename "$in" .docx).pdf"
`, log, busy, result)
	for path, content := range map[string][]byte{filepath.Join(dir, "soffice"): []byte(script), busy: nil, result: apptest.PDF(t, "converted")} {
		if err := os.WriteFile(path, content, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	began = func() int {
		b, err := os.ReadFile(log)
		if err != nil && !os.IsNotExist(err) {
			t.Error(err)
		}
		return bytes.Count(b, []byte("x"))
	}
	end = func() {
		if err := os.Remove(busy); err != nil {
			t.Error(err)
		}
	}
	return func(c *app.Config) {
		c.Convert.Soffice, c.Convert.Unconfined = filepath.Join(dir, "soffice"), true
	}, began, end
}

func TestTogetherConversionsOfOneCompanyKeepNoOtherWaiting(t *testing.T) {
	t.Parallel()
	change, began, end := slowOffice(t)
	s := apptest.New(t, change)
	a, b := s.Company(t), s.Company(t)
	document := func(c *apptest.Client, text ...string) {
		file := apptest.File{Name: "a.docx", Content: apptest.DOCX(t, text...)}
		c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Converted"}, file)).Want(t, 201)
	}
	var large []string
	for range 200 {
		large = append(large, rand.Text())
	}
	var flood sync.WaitGroup
	for range 5 {
		flood.Go(func() { document(a, large...) })
	}
	patience.Until(t, "a conversion runs", func() (string, bool) { return "", began() > 0 })
	document(b, "small")
	if n := began(); n != 2 {
		t.Errorf("%d conversions had begun when the other company's ended, want 2: one of each", n)
	}
	end()
	flood.Wait()
}

// TestTogetherNothingIsConvertedForThoseWhoLeft hangs up during one upload and while another waits its turn.
func TestTogetherNothingIsConvertedForThoseWhoLeft(t *testing.T) {
	t.Parallel()
	change, began, end := slowOffice(t)
	s := apptest.New(t, change)
	a := s.Company(t)
	var large []string
	for range 200 {
		large = append(large, rand.Text())
	}
	body := apptest.Multipart(t, apptest.Map{"title": "Converted"}, apptest.File{Name: "a.docx", Content: apptest.DOCX(t, large...)})
	ctx, leave := context.WithCancel(t.Context())
	var left sync.WaitGroup
	for range 3 {
		left.Go(func() {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/documents", bytes.NewReader(body.Body))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Content-Type", body.Type)
			r.Header.Set("Authorization", "Bearer "+a.Token)
			if response, err := http.DefaultClient.Do(r); err == nil {
				t.Errorf("%d although nobody waited", response.StatusCode)
				response.Body.Close()
			}
		})
	}
	patience.Until(t, "a conversion runs", func() (string, bool) { return "", began() > 0 })
	leave()
	left.Wait()
	// The small one gets its turn only when the large ones end, which never happens.
	file := apptest.File{Name: "a.docx", Content: apptest.DOCX(t, "small")}
	a.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Converted"}, file)).Want(t, 201)
	if n := a.Get(t, "/documents").Int(t, "meta.total"); n != 1 {
		t.Errorf("%d documents were made, want 1", n)
	}
	end()
}

// TestTogetherUploadsShareTheQuota fills a company's storage while a file is being
// converted that had enough room when it was received.
func TestTogetherUploadsShareTheQuota(t *testing.T) {
	t.Parallel()
	change, began, end := slowOffice(t)
	c := apptest.New(t, change, func(c *app.Config) { c.Server.Limits.CompanyStorage = 100 * app.KB }).Company(t)
	id := c.Post(t, "/documents", obj{"title": "Slow"}).Want(t, 201).Text(t, "id")
	var large []string
	for range 800 {
		large = append(large, rand.Text())
	}
	var slow *apptest.Response
	var upload sync.WaitGroup
	upload.Go(func() {
		slow = c.Post(t, "/documents/"+id+"/upload", apptest.Multipart(t, nil, apptest.File{Name: "a.docx", Content: apptest.DOCX(t, large...)}))
	})
	patience.Until(t, "a conversion runs", func() (string, bool) { return "", began() > 0 })
	filling := append(apptest.PDF(t, "large"), bytes.Repeat([]byte("\n"), 90_000)...)
	c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Large"}, apptest.File{Name: "b.pdf", Content: filling})).Want(t, 201)
	end()
	upload.Wait()
	if slow.Status != http.StatusConflict || slow.Text(t, "code") != "company_full" {
		t.Errorf("%d %s", slow.Status, slow.Body)
	}
	if got := c.Get(t, "/documents/"+id).Want(t, 200).At(t, "files").(list); len(got) > 0 {
		t.Errorf("the document has %v", got)
	}
}
