package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"paraph/app/account"
	"paraph/app/pdf/page"
	"paraph/app/pdf/text"
	"paraph/app/signing"
)

// Demo runs the whole workflow in one process: create, upload, invite, send, sign, complete. It
// saves the sealed PDF and its certificate of completion to a folder and prints whether they
// are valid. Without a file it signs a sample agreement.
func Demo(ctx context.Context, out, file string, w io.Writer) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	cfg := Default()
	cfg.Server.Listen = "127.0.0.1:0"
	a, err := Open(cfg, Options{InMemory: true, Seed: true, Cheap: true})
	if err != nil {
		return err
	}
	err = a.demo(ctx, out, file, w)
	return errors.Join(err, a.Close())
}

func (a *App) demo(ctx context.Context, out, file string, w io.Writer) error {
	who, err := a.Accounts.Operator.ActorFor(ctx, SeedAdmin, "")
	if err != nil {
		return err
	}
	_, err = a.demoAs(ctx, who, out, file, w)
	return err
}

// demoAs runs the workflow as a given member, and reports whether the result is valid.
func (a *App) demoAs(ctx context.Context, who account.Actor, out, file string, w io.Writer) (sound bool, err error) {
	name, content, err := demoFile(file)
	if err != nil {
		return false, err
	}
	who = who.From("127.0.0.1", "paraph demo", "")
	d, err := a.demoSend(ctx, who, name, content)
	if err != nil {
		return false, err
	}
	fmt.Fprintf(w, "Sent %q to %d people.\n", d.Title, len(d.Invitations))
	for _, inv := range d.Invitations {
		signatory, err := a.Signing.Links.Signatory(ctx, a.Signing.Links.Token(&inv))
		if err != nil {
			return false, err
		}
		yes := true
		if d, err = a.Signing.Signatures.Sign(ctx, signatory.From("127.0.0.1", "paraph demo", ""), d.ID, inv.ID, signing.SignInput{Consent: &yes}); err != nil {
			return false, err
		}
		fmt.Fprintf(w, "%s signed; the document is %s.\n", inv.Name, d.Status)
	}
	return a.demoResult(ctx, who, d, out, w)
}

func (a *App) demoSend(ctx context.Context, who account.Actor, name string, content io.Reader) (*signing.Document, error) {
	u, err := a.Signing.Intake.Receive(ctx, who, name, "", content)
	if err != nil {
		return nil, err
	}
	title := strings.TrimSuffix(name, filepath.Ext(name))
	var people []signing.InvitationInput
	for _, p := range [][2]string{{"Alice Archer", "alice@signer.example"}, {"Björn Müller", "bjorn@signer.example"}} {
		people = append(people, signing.InvitationInput{Name: &p[0], Email: &p[1]})
	}
	d, err := a.Signing.Drafts.Create(ctx, who, signing.CreateInput{DocumentInput: signing.DocumentInput{Title: &title},
		Invitations: people, Uploads: []*signing.Upload{u}, Send: true, BaseURL: a.URL()})
	return d, errors.Join(err, u.Close())
}

func (a *App) demoResult(ctx context.Context, who account.Actor, d *signing.Document, out string, w io.Writer) (sound bool, err error) {
	var paths []string
	for _, content := range []string{"document", "certificate"} {
		download, err := a.Signing.Downloads.Document(ctx, who, d.ID, signing.DownloadInput{Content: content})
		if err != nil {
			return false, err
		}
		path := filepath.Join(out, filepath.Base(download.Name))
		if err := save(download, path); err != nil {
			return false, err
		}
		paths = append(paths, path)
	}
	root := filepath.Join(out, "root.pem")
	if err := os.WriteFile(root, a.Keys.RootPEM(), 0o644); err != nil {
		return false, err
	}
	fmt.Fprintf(w, "\nThe root certificate is in %s.\n", root)
	return VerifyFiles(w, paths, VerifyOptions{Root: root})
}

func save(d *signing.Download, path string) (err error) {
	in, err := d.Open()
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, f.Close(), in.Close())
}

// demoFile opens the file to sign, or generates the agreement.
func demoFile(path string) (string, io.Reader, error) {
	if path != "" {
		b, err := os.ReadFile(path)
		return filepath.Base(path), bytes.NewReader(b), err
	}
	b := page.New(text.New(), page.Info{Title: "Agreement", Language: "en"})
	f := b.Flow(page.Layout{})
	f.Heading(1, "Agreement")
	f.Paragraph("between Alice Archer and Björn Müller", page.Paragraph{})
	for i, s := range []string{
		"The parties agree to try document signing software on a real file before they rely on it.",
		"Each party signs with a signature of their own. Nobody's signature may be touched by what happens after it.",
		"Either party may check the result at any time, with any tool that they trust, without asking anybody.",
	} {
		f.Heading(3, fmt.Sprintf("%d.", i+1))
		f.Paragraph(s, page.Paragraph{})
	}
	var out bytes.Buffer
	_, err := b.Write(&out)
	return "Agreement.pdf", &out, err
}
