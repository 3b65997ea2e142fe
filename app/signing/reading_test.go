package signing_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"paraph/app/apptest"
	"paraph/app/signing/lists"
	"paraph/kv"
)

// TestAFileOutOfTimeIsReadAgain ends the time for reading a file while PDFium is used by others, as
// far as the job can tell: nothing may be noted about the file, and the next attempt reads it.
func TestAFileOutOfTimeIsReadAgain(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	id := draft(t, c, 1, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A rare word: quagga.")})
	file := c.Get(t, "/documents/"+id).Want(t, 200).Text(t, "files.0.sha256")
	payload, err := json.Marshal(map[string]any{"Company": actor(t, c).CompanyID, "Document": id, "Base": file, "Key": "elsewhere", "Blobs": []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	job := kv.Job{Kind: lists.ReadJob, Payload: payload, Attempts: 2}
	read := func(ctx context.Context) (text string, err error) {
		if err := c.Signing.Lists.ReadHandler().Run(ctx, job); err != nil {
			return "", err
		}
		err = c.Signing.Lists.DB.View(func(tx *kv.Tx) error {
			known, err := lists.Texts.Get(tx, "elsewhere")
			text = known.Text
			return err
		})
		return text, err
	}
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, err := read(late); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("out of time, the job ended with %v", err)
	}
	if text, err := read(t.Context()); err != nil || text != "A rare word: quagga." {
		t.Errorf("the next attempt read %q (%v)", text, err)
	}
}
