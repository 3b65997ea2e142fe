package app_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/reportjson"
	"paraph/app/signing/completion"
)

// TestWhatDocumentsSayIsListed completes a document in which people act in every way, and finds statements of its
// evidence, of the verdict on its files and in the files themselves of which nobody has said what they rest on.
func TestWhatDocumentsSayIsListed(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	d := owner.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Contract", "send": true, "signing_order": "sequential",
		"invitations": apptest.List{
			apptest.Map{"name": "Sam", "email": "sam@signer.example"},
			apptest.Map{"name": "Kim", "email": "kim@signer.example", "authentication": "email_code"},
			apptest.Map{"name": "Lee", "email": "lee@signer.example", "role": "approver"},
			apptest.Map{"name": "Pat", "email": "pat@signer.example", "access_code": "open sesame 7731"},
		},
		"fields": apptest.List{
			apptest.Map{"invitation_id": "0", "type": "text", "name": "place", "page": 1, "x": .1, "y": .1, "width": .3, "height": .05},
			apptest.Map{"invitation_id": "0", "type": "checkbox", "name": "agree", "page": 1, "x": .1, "y": .2, "width": .03, "height": .02},
			apptest.Map{"invitation_id": "0", "type": "date_signed", "name": "day", "page": 1, "x": .1, "y": .3, "width": .3, "height": .05},
		}}, apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "The contract.")})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	ids := d.Texts(t, "invitations", "id")
	link := func(email string) *apptest.Client { return s.With(s.Link(t, email, "/s/")) }

	link("sam@signer.example").Post(t, at+"/"+ids[0]+"/delegate", apptest.Map{"name": "Eve", "email": "eve@signer.example", "reason": "Away"}).Want(t, 200)
	eve := owner.Get(t, at).Want(t, 200)
	ids = eve.Texts(t, "invitations", "id")
	link("eve@signer.example").Post(t, at+"/"+ids[slices.Index(eve.Texts(t, "invitations", "email"), "eve@signer.example")]+"/sign",
		apptest.Map{"consent": true, "fields": apptest.Map{"place": "Vienna", "agree": true}}).Want(t, 200)
	at2 := func(email string) string {
		now := owner.Get(t, at).Want(t, 200)
		return at + "/" + now.Texts(t, "invitations", "id")[slices.Index(now.Texts(t, "invitations", "email"), email)]
	}
	kim := link("kim@signer.example")
	kim.Post(t, at2("kim@signer.example")+"/code", nil).Want(t, 202)
	kim.Post(t, at2("kim@signer.example")+"/sign", apptest.Map{"consent": true, "code": codeFor(t, s, "kim@signer.example")}).Want(t, 200)
	owner.Member(t, account.RoleAdmin).Post(t, at2("lee@signer.example")+"/sign", apptest.Map{}).Want(t, 200)
	link("pat@signer.example").Post(t, at2("pat@signer.example")+"/sign", apptest.Map{"consent": true, "code": "open sesame 7731"}).Want(t, 200)

	evidence, certificate := parts(t, owner, at)
	file := owner.Post(t, at+"/download", apptest.Map{}).Want(t, 200).Body
	said := map[string]bool{}
	collect(t, said, "evidence", reflect.TypeFor[completion.Evidence](), evidence)
	for _, f := range [][]byte{file, certificate, append(slices.Clone(file), "\n%% more"...), apptest.PDF(t, "Unsigned.")} {
		answer := s.Anonymous().Post(t, "/verify", apptest.Raw{Type: "application/pdf", Body: f}).Want(t, 200).Body
		collect(t, said, "answer", reflect.TypeFor[reportjson.View](), answer)
		inFile(t, said, f)
	}
	if len(said) < 100 {
		t.Errorf("only %d statements were made: %v", len(said), said)
	}
	known := statements(t)
	for _, x := range slices.Sorted(maps.Keys(said)) {
		if !slices.Contains(known, x) {
			t.Errorf("%s: what does it rest on, and who could make it untrue?", x)
		}
	}
}

// parts returns the evidence and the certificate of a completed document.
func parts(t *testing.T, c *apptest.Client, at string) (evidence, certificate []byte) {
	t.Helper()
	for name, content := range unzip(t, c.Post(t, at+"/download", apptest.Map{"format": "zip"}).Want(t, 200).Body) {
		switch {
		case name == "evidence.json":
			evidence = content
		case strings.HasPrefix(name, "Certificate"):
			certificate = content
		}
	}
	if evidence == nil || certificate == nil {
		t.Fatal("there is no evidence or no certificate")
	}
	return evidence, certificate
}

// collect adds the statements that JSON makes, each by the member of the type that it is written from.
func collect(t *testing.T, said map[string]bool, prefix string, of reflect.Type, text []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	var walk func(of reflect.Type, v any)
	walk = func(of reflect.Type, v any) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(of, e)
			}
		case map[string]any:
			if of == reflect.TypeFor[map[string]string]() {
				for name := range v {
					if prefix == "evidence" {
						name, _, _ = strings.Cut(name, ".") // what follows is the identifier of a file
						said["data."+name] = true
					}
				}
			}
			if of.Kind() != reflect.Struct || !described(of) {
				return
			}
			for name, e := range v {
				field, ok := memberOf(of, name)
				if !ok {
					t.Errorf("nothing is known of %s.%s in the %s", of.Name(), name, prefix)
					continue
				}
				said[prefix+"."+of.Name()+"."+field.Name] = true
				walk(field.Type, e)
			}
		}
	}
	walk(of, v)
}

// memberOf returns the field that a member of JSON is written from.
func memberOf(of reflect.Type, name string) (reflect.StructField, bool) {
	for i := range of.NumField() {
		if tag, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); tag == name {
			return of.Field(i), true
		}
	}
	return reflect.StructField{}, false
}

// inFile adds what the signatures of a file and its information dictionary say.
func inFile(t *testing.T, said map[string]bool, content []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "qpdf", "--json", "--json-key=qpdf", path).Output()
	var read struct{ QPDF []map[string]any }
	if err == nil || len(out) > 0 {
		err = json.Unmarshal(out, &read)
	}
	if err != nil || len(read.QPDF) < 2 {
		t.Fatalf("%v: %.200s", err, out)
	}
	info := ""
	if trailer, _ := read.QPDF[1]["trailer"].(map[string]any); trailer != nil {
		entries, _ := trailer["value"].(map[string]any)
		info, _ = entries["/Info"].(string)
	}
	for name, object := range read.QPDF[1] {
		in, _ := object.(map[string]any)
		d, _ := in["value"].(map[string]any)
		signature := d["/ByteRange"] != nil
		for key := range d {
			if signature {
				said["dictionary."+key[1:]] = true
			}
			if info != "" && name == "obj:"+info {
				said["info."+key[1:]] = true
			}
		}
	}
}
