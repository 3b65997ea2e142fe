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
	"paraph/app/pki"
	"paraph/app/signing"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"
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
	who, err := a.Accounts.Operator.ActorFor(SeedAdmin, "")
	if err == nil {
		_, err = demonstration{a.Signing, a.Keys, a.URL(), out, w}.run(ctx, who, file)
	}
	return errors.Join(err, a.Close())
}

// demonstration runs the whole workflow with one document.
type demonstration struct {
	signing *signing.Services
	keys    *pki.Authority
	url     string    // of the appliance
	out     string    // the folder for the results
	w       io.Writer // for what happens
}

// demoFrom says in the evidence that the demonstration acted.
var demoFrom = account.From{IP: "127.0.0.1", UserAgent: "paraph demo"}

// run runs the workflow as a given member, and reports whether the result is valid.
func (m demonstration) run(ctx context.Context, author account.Actor, file string) (sound bool, err error) {
	name, content, err := demoFile(file)
	if err != nil {
		return false, err
	}
	who := author.Call(demoFrom)
	d, err := m.send(ctx, who, name, content)
	if err != nil {
		return false, err
	}
	fmt.Fprintf(m.w, "Sent %q to %d people.\n", d.Title, len(d.Invitations))
	for _, inv := range d.Invitations {
		signatory, err := m.signing.Sending.Signatory(m.signing.Sending.LinkToken(&inv))
		if err != nil {
			return false, err
		}
		yes := true
		if d, err = m.signing.Signing.Sign(ctx, signatory.Call(demoFrom), d.ID, inv.ID, signing.SignInput{Consent: &yes}); err != nil {
			return false, err
		}
		fmt.Fprintf(m.w, "%s signed; the document is %s.\n", inv.Name, d.Status)
	}
	return m.save(who, d)
}

func (m demonstration) send(ctx context.Context, who account.Call, name string, content io.Reader) (*record.Document, error) {
	u, err := m.signing.Intake.Receive(who, name, "", content)
	if err != nil {
		return nil, err
	}
	title := strings.TrimSuffix(name, filepath.Ext(name))
	var people []record.InvitationInput
	for _, p := range [][2]string{{"Alice Archer", "alice@signer.example"}, {"Björn Müller", "bjorn@signer.example"}} {
		people = append(people, record.InvitationInput{Name: &p[0], Email: &p[1]})
	}
	d, err := m.signing.Drafts.Create(ctx, who, signing.CreateInput{DocumentInput: record.DocumentInput{Title: &title},
		Invitations: people, Uploads: []*intake.Upload{u}, Send: true, BaseURL: m.url})
	return d, errors.Join(err, u.Close())
}

// save writes the results to the folder.
func (m demonstration) save(who account.Call, d *record.Document) (sound bool, err error) {
	var paths []string
	for _, content := range []string{"document", "certificate"} {
		download, err := m.signing.Completion.DownloadDocument(who, d.ID, signing.DownloadInput{Content: content})
		if err != nil {
			return false, err
		}
		path := filepath.Join(m.out, filepath.Base(download.Name))
		if err := save(download, path); err != nil {
			return false, err
		}
		paths = append(paths, path)
	}
	root := filepath.Join(m.out, "root.pem")
	if err := os.WriteFile(root, m.keys.RootPEM(), 0o644); err != nil {
		return false, err
	}
	fmt.Fprintf(m.w, "\nThe root certificate is in %s.\n", root)
	return VerifyFiles(m.w, paths, VerifyOptions{Root: root})
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
