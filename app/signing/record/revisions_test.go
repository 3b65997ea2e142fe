package record_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/record"
)

func TestPageHashChangesWithItsPage(t *testing.T) {
	t.Parallel()
	f := record.File{ID: "f", Base: "base", Pages: make([]record.Size, 3), Appended: 1, Revisions: []record.Revision{
		{Kind: "prepare", SHA256: "prepared"}, {Kind: "signature", Invitation: "i1", SHA256: "first"},
		{Kind: "signature", Invitation: "i2", SHA256: "second"}, {Kind: "validation", SHA256: "proofs"}}}
	d := record.Document{Fields: []record.Field{{File: "f", Page: 1, Invitation: "i1"}, {File: "f", Page: 2, Invitation: "i3"}, {File: "other", Page: 3, Invitation: "i1"}}}
	for page, want := range map[int]string{1: "first", 2: "prepared", 3: "base", 4: "second"} {
		if got := d.PageHash(&f, page); got != want {
			t.Errorf("page %d: got %q, want %q", page, got, want)
		}
	}
	if f.Appended = 0; d.PageHash(&f, 4) != "base" {
		t.Errorf("without pages of signatures: got %q", d.PageHash(&f, 4))
	}
}

func TestRevisionsExtendTheFile(t *testing.T) {
	t.Parallel()
	upload := record.File{Upload: "base", Base: "base", BaseSize: 10, Size: 10}
	signed := record.File{Upload: "up", Base: "base", BaseSize: 10, Size: 7,
		Revisions: []record.Revision{{Blob: "r1", Total: 15, SHA256: "1"}, {Blob: "r2", Total: 18, SHA256: "2"}}}
	sealed := record.File{Upload: "base", Base: "base", BaseSize: 10}
	sealed.Append(record.Revision{Size: 3, SHA256: "1"})
	sealed.Append(record.Revision{Blob: "r2", Size: 5, SHA256: "2"})
	sealed.Append(record.Revision{Size: 4, SHA256: "3"})
	for _, tt := range []struct {
		f       record.File
		total   int64
		current string
		blobs   string
		bytes   int64
	}{{upload, 10, "base", "base", 10}, {signed, 18, "2", "base r1 r2", 25}, {sealed, 22, "3", "base r2", 22}} {
		d := record.Document{Files: []record.File{tt.f}}
		if tt.f.Total() != tt.total || tt.f.Current() != tt.current || strings.Join(tt.f.Blobs(), " ") != tt.blobs || d.Bytes() != tt.bytes {
			t.Errorf("got %d, %s, %v, %d, want %+v", tt.f.Total(), tt.f.Current(), tt.f.Blobs(), d.Bytes(), tt)
		}
	}
	d := record.Document{Files: []record.File{upload, signed}, Certificate: &record.File{Base: "c", Upload: "c", BaseSize: 100},
		Fields:      []record.Field{{}, {Attached: &record.Attached{Blob: "a", Size: 1000}}},
		Invitations: []record.Invitation{{}, {Evidence: &record.Evidence{}}, {Evidence: &record.Evidence{Picture: "p"}}}}
	want := []string{"base", "base", "base", "r1", "r2", "up", "a", "p", "c", "c"}
	if got := slices.Collect(d.Blobs); !slices.Equal(got, want) || d.Bytes() != 10+25+1000+100 {
		t.Errorf("got %v and %d bytes", got, d.Bytes())
	}
	for n := range want {
		var got []string
		for b := range d.Blobs {
			if got = append(got, b); len(got) > n {
				break
			}
		}
		if !slices.Equal(got, want[:n+1]) {
			t.Errorf("the first %d: got %v", n+1, got)
		}
	}
	if d.Certificate = nil; len(slices.Collect(d.Blobs)) != len(want)-2 {
		t.Errorf("without a certificate: got %v", slices.Collect(d.Blobs))
	}
}

func TestCopiedFilesHaveNoRevisions(t *testing.T) {
	t.Parallel()
	f := record.File{ID: "f", Name: "a.pdf", Base: "base", Appended: 2, Revisions: []record.Revision{{Blob: "r"}}, Unproven: []string{"u"}}
	if got, want := f.Copy("g", now), (record.File{ID: "g", Name: "a.pdf", Base: "base", CreatedAt: now}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	who := account.Actor{UserID: "u", Name: "Ann", Email: "ann@x.org", TokenID: "t"}
	if got, want := record.PersonOf(who), (record.Person{ID: "u", Name: "Ann", Email: "ann@x.org"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTitlesBecomeNamesOfFiles(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Lease 7": "Lease 7", `a/b\c:d*e?f"g<h>i|j`: "a_b_c_d_e_f_g_h_i_j", "a\x1fb": "a_b", " .Lease. ": "Lease",
		strings.Repeat("é", 120): strings.Repeat("é", 120), strings.Repeat("é", 121): strings.Repeat("é", 120),
	} {
		if got := (&record.Document{Title: title}).FileTitle(); got != want {
			t.Errorf("%.20q: got %.20q, want %.20q", title, got, want)
		}
	}
}

func TestCertificatesWithoutProofsAreNamedOnce(t *testing.T) {
	t.Parallel()
	d := record.Document{Certificate: &record.File{Unproven: []string{"b"}}, Files: []record.File{{Unproven: []string{"c", "a"}}, {Unproven: []string{"b"}}}}
	if got := d.Unproven(); !slices.Equal(got, []string{"a", "b", "c"}) || len(d.Certificate.Unproven) != 1 {
		t.Errorf("got %v", got)
	}
	if err := d.Files[0].AddCertificates([]byte("no signature")); err == nil {
		t.Error("certificates were read from invalid data")
	}
}

func TestSignatureFieldsAreFoundByFile(t *testing.T) {
	t.Parallel()
	inv := record.Invitation{SignatureFields: []string{"f1 sig a", "f2 sig", "odd"}}
	for file, want := range map[string]string{"f1": "sig a", "f2": "sig", "f3": "", "odd": ""} {
		if got, ok := inv.SignatureField(file); got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v", file, got, ok)
		}
	}
}

func TestTheOwnerLearnsEachCauseOfAMissingSealOnce(t *testing.T) {
	t.Parallel()
	d := record.Document{Status: record.Sent}
	fails := func(cause fault.Code, dead, want string) {
		t.Helper()
		var got []string
		for _, e := range d.SealingFailed(cause, dead) {
			got = append(got, string(e.Type), e.Data["cause"], e.Data["repeated"])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s, %q: got %q, want %q", cause, dead, got, want)
		}
	}
	fails("sealing.tsa", "", "")
	d.SetAttention(record.Attention{Kind: record.AttentionSealing, Code: "sealing"})
	fails("sealing.tsa", "", "document.sealing_delayed tsa ")
	fails("sealing.tsa", "", "")
	fails("sealing.disk", "", "document.sealing_delayed disk ")
	fails("sealing.tsa", "", "document.sealing_delayed tsa true")
	fails("sealing.tsa", "job", "document.sealing_failed tsa true")
	if d.Attention != (record.Attention{Kind: record.AttentionSealingFailed, Code: "sealing.tsa"}) || d.SealJob != "job" ||
		!slices.Equal(d.SealCauses, []fault.Code{"sealing.tsa", "sealing.disk"}) || !d.Unsealed() || d.Sealable() != nil {
		t.Errorf("got %+v", d)
	}
	fails("sealing.disk", "", "document.sealing_delayed disk true")
	if d.SealJob != "job" {
		t.Errorf("the abandoned job is forgotten: %q", d.SealJob)
	}
	if d.Status = record.Completed; d.Unsealed() {
		t.Error("a completed document waits for its seal")
	}
}

func TestTheSenderIsAskedForMissingCodes(t *testing.T) {
	t.Parallel()
	lacking := record.Invitation{ID: "1", Role: record.Signer, Authentication: record.ByAccessCode}
	with, signed := lacking, lacking
	with.AccessCodeHash, signed.Status = "h", record.Signed
	asked := record.Attention{Kind: record.AttentionAccessCode, Code: "access_code_needed", Invitation: "1"}
	declined := record.Attention{Kind: record.AttentionDeclined}
	for _, tt := range []struct {
		inv       record.Invitation
		had, want record.Attention
	}{
		{lacking, record.Attention{}, asked}, {lacking, declined, declined}, {lacking, asked, asked},
		{with, asked, record.Attention{}},
		{signed, record.Attention{}, record.Attention{}}, {with, declined, declined},
	} {
		d := record.Document{Invitations: []record.Invitation{tt.inv}, Attention: tt.had}
		if d.RequestMissingCode(); d.Attention != tt.want {
			t.Errorf("%+v, %+v: got %+v", tt.inv, tt.had, d.Attention)
		}
	}
}

func TestCodesByMailNeedMail(t *testing.T) {
	t.Parallel()
	d := record.Document{Invitations: []record.Invitation{{Authentication: record.ByLink},
		{Authentication: record.ByEmailCode},
		{Authentication: record.ByEmailCode, Role: record.Viewer}}}
	for mailed, want := range map[bool]string{true: "", false: "invitations.1.authentication no_mail_for_codes"} {
		var f fault.Fields
		if d.RequireCodesBy(&f, mailed); faults(&f) != want {
			t.Errorf("mailed %v: got %q", mailed, faults(&f))
		}
	}
}

func TestCodesAreTakenWhileSomebodyMayAct(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		inv  record.Invitation
		want string
	}{
		{record.Invitation{Authentication: record.ByAccessCode}, ""}, {record.Invitation{Authentication: record.ByLink}, "no_access_code_asked"},
		{record.Invitation{Authentication: record.ByAccessCode, Status: record.Signed}, "no_access_code_asked"},
	} {
		d := record.Document{Status: record.Sent}
		if got := code(d.TakesCode(&tt.inv, now)); got != tt.want {
			t.Errorf("%+v: got %q", tt.inv, got)
		}
		if d.Status = record.Draft; code(d.TakesCode(&tt.inv, now)) != "document_not_sent" {
			t.Errorf("in a draft: got %q", code(d.TakesCode(&tt.inv, now)))
		}
	}
}

func TestMessagesThatFailConcernTheirPerson(t *testing.T) {
	t.Parallel()
	d := record.Document{Invitations: []record.Invitation{{ID: "1", Email: "a@x.org", Status: record.Delegated}, {ID: "2", Email: "a@x.org"}, {ID: "3", Email: "b@x.org"}}}
	for address, want := range map[string]string{"a@x.org": "2", "b@x.org": "3", "owner@x.org": ""} {
		if got := d.Undelivered(address); got.Invitation != want || got.Address != address || got.Kind != record.AttentionMailFailed || got.Code != "mail_failed" {
			t.Errorf("got %+v", got)
		}
	}
	failed := record.Attention{Kind: record.AttentionMailFailed, Address: "a@x.org"}
	if !failed.Concerns(&d.Invitations[0]) || failed.Concerns(&d.Invitations[2]) || (record.Attention{Kind: record.AttentionMailFailed}).Concerns(&record.Invitation{ID: "4"}) {
		t.Error("it concerns the wrong person")
	}
	if (record.Attention{Address: "a@x.org"}).Concerns(&d.Invitations[0]) || (record.Attention{Address: "a@x.org"}).FailedFor("a@x.org") {
		t.Error("an attention other than a failed message concerns a person")
	}
	if !(record.Attention{Kind: record.AttentionMailFailed}).FailedFor("c@x.org") {
		t.Error("a failed message of an older record matches no address")
	}
}

func TestUploadsAreDescribed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in     pdf.Inspection
		broken int
		want   []record.Finding
	}{
		{pdf.Inspection{XFA: "dynamic"}, 0, nil},
		{pdf.Inspection{XFA: "static", JavaScript: true, LaunchActions: true, HasForm: true, PDFA: "2B"}, 0, []record.Finding{
			{Code: "xfa", Severity: "info"}, {Code: "javascript", Severity: "warning"}, {Code: "launch_action", Severity: "warning"},
			{Code: "existing_form", Severity: "info"}, {Code: "pdfa", Severity: "info", Args: map[string]string{"level": "2B"}}}},
		{pdf.Inspection{Signed: []string{"a", "b"}, JavaScript: true, EmbeddedFiles: []string{"x"}, FontsNotEmbedded: []string{"F", "G"}}, 1, []record.Finding{
			{Code: "already_signed", Severity: "info", Args: map[string]string{"count": "2"}},
			{Code: "signature_broken", Severity: "warning", Args: map[string]string{"count": "1"}}, {Code: "javascript.signed", Severity: "warning"},
			{Code: "embedded_files", Severity: "info", Args: map[string]string{"count": "1"}},
			{Code: "fonts_not_embedded", Severity: "warning", Args: map[string]string{"fonts": "F, G"}}}},
	} {
		var f record.File
		if f.AddFindings(tt.in, tt.broken); !reflect.DeepEqual(f.Findings, tt.want) {
			t.Errorf("got %+v, want %+v", f.Findings, tt.want)
		}
	}
	say := func(key string, args map[string]any) string { return key + " " + args["count"].(string) }
	if got := (record.Finding{Code: "embedded_files", Args: map[string]string{"count": "1"}}).Sentence(say); got != "finding.embedded_files 1" {
		t.Errorf("got %q", got)
	}
	if got := (record.Finding{Message: "Old."}).Sentence(say); got != "Old." {
		t.Errorf("got %q", got)
	}
}
