package app_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"paraph/app/reportjson"
	"paraph/app/signing/completion"
	"paraph/app/signing/record"
	"paraph/app/signing/report"
)

// party could make a statement untrue.
type party int

const (
	sender   party = iota
	member         // of the sender's company, or a program with their token
	admin          // of the sender's company
	cosigner       // another recipient of the document
	holder         // of somebody's link who is not that person
	proxy          // or a client that claims to be one
	finder         // who has the completed file and makes another one of it
	parties
)

func (p party) String() string {
	return []string{"the sender", "a member", "an administrator", "another signatory", "a holder of the link", "a proxy", "whoever has the file"}[p]
}

// claim is what a statement rests on.
type claim struct {
	// names are of the statements: the events, members of the evidence and of the report, and texts of the certificate
	// and of /verify. A name that ends with * stands for all that begin so.
	names string
	// tries holds, for each party, the tests that try to make these statements untrue, or after a dash why they can't.
	tries [parties]string
}

const (
	// operations is the walk of all operations of the API.
	operations = "TestEveryOperationLeavesActsAsTheyWere"
	bytesHold  = "TestForgeries TestChangesAfterSigning TestFlippedBitsAreNoticed"
)

// claims are what the certificate of completion, the evidence and /verify rest on.
var claims = map[string]claim{
	"what the files are": {
		`evidence.Evidence.Document evidence.Evidence.Company evidence.Evidence.Files evidence.Evidence.Signatories evidence.Evidence.Events evidence.Evidence.ChainHead evidence.Evidence.HashRule evidence.Evidence.Proof evidence.File.ID evidence.File.Name evidence.File.ContentType evidence.File.Size evidence.File.SHA256 evidence.File.ConvertedBy evidence.File.BaseSHA256 evidence.File.BaseSize evidence.File.Pages evidence.File.Revisions evidence.Revision.Kind evidence.Revision.Signer evidence.Revision.Size evidence.Revision.Total evidence.Revision.SHA256 evidence.Revision.At evidence.Revision.RecordedFor report.Report.SHA256 report.Report.Pages report.Report.Prefixes report.Prefix.SHA256 report.Prefix.Whole report.Report.Compared report.Comparison.Page report.Comparison.Signed report.Comparison.Now
		event.file.* event.field.* event.document.fields_added event.document.fields_replaced
		certificate.files certificate.uploaded certificate.bytes certificate.page_count certificate.converted_by* certificate.step* certificate.length certificate.sha256_uploaded
		verdict.page.*
		data.file data.files data.pages data.field data.fields data.kind data.duplicate_of data.sha256 data.document data.template answer.View.SHA256 answer.View.Pages`,
		[parties]string{
			sender:   "TestOperationsFollowTheStateTable TestNothingTakesTheNameOfTheEvidence " + operations,
			member:   "TestUploadsAreForThoseWhoMayChangeThem " + operations,
			admin:    operations,
			cosigner: "TestWallsSignatory TestNobodysFieldHidesAnother TestPicturesLeaveTheTextBeneathVisible",
			holder:   "TestWallsSignatory",
			proxy:    "- files are hashed as they are stored; what a proxy changed of an upload is what its sender is shown",
			finder:   bytesHold + " TestCheckTellsWhatIsOurs",
		},
	},
	"the journal": {
		`evidence.Event.ID evidence.Event.Seq evidence.Event.Type evidence.Event.At evidence.Event.ActorType evidence.Event.ActorID evidence.Event.ActorName evidence.Event.ActorEmail evidence.Event.ActorDoubt evidence.Event.IP evidence.Event.UserAgent evidence.Event.Data evidence.Event.Hash evidence.Event.PreviousHash evidence.Event.Scope evidence.Event.Chain evidence.Event.JournalHash evidence.Event.Raw certificate.events certificate.when certificate.what certificate.who certificate.from certificate.actor.system
		certificate.check* certificate.chain_head certificate.evidence_sum certificate.evidence_note event.template.* event.document.*
		data.cause data.job data.run`,
		[parties]string{
			sender:   operations + " TestEveryEventTypeIsListedAndRecorded",
			member:   operations,
			admin:    operations + " TestACraftedExportOpensNothing TestARewrittenHistoryFitsNoPublishedCheckpoint",
			cosigner: operations,
			holder:   operations,
			proxy:    "- events are written here; what a request says of itself is told under the connection",
			finder:   "TestEvidenceInsideTheCertificate TestPublishedCheckpointProvesTheHistory TestACheckpointOfAnotherKeyProvesNothing",
		},
	},
	"the clock": {
		`evidence.Signatory.NotifiedAt evidence.Signatory.ViewedAt evidence.Signatory.SignedAt evidence.Signatory.ReadAt evidence.Signatory.FilledInAt evidence.Signatory.DeclinedAt evidence.Signatory.ActedAt
		evidence.Document.CreatedAt evidence.Document.SentAt evidence.Document.CompletedAt report.SignatureVerdict.ClaimedAt report.SignatureVerdict.TimestampAt report.SignatureVerdict.Authority
		certificate.created certificate.sent certificate.completed certificate.time_zone certificate.asked certificate.viewed
		verdict.timestamp* verdict.signing_time* verdict.weak_timestamp verify.stamped verify.claimed verify.authority
		data.expires_at data.send_at answer.Signature.ClaimedAt answer.Signature.TimestampAt answer.Signature.Authority dictionary.M`,
		[parties]string{
			sender:   "TestAutomaticValues TestActsTakeNothingThatIsFoundOut",
			member:   "TestActsTakeNothingThatIsFoundOut TestActsAreRecordedAsWhoseTheyAre",
			admin:    operations + " TestClockJumpIsWarnedOf",
			cosigner: operations,
			holder:   "TestActsTakeNothingThatIsFoundOut",
			proxy:    "TestActsTakeNothingThatIsFoundOut",
			finder:   "TestForeignTimestamps TestTimestampsThatAreNot TestMalformedRequestsAreRejected",
		},
	},
	"what the sender says": {
		`evidence.Document.ID evidence.Document.Title evidence.Document.SigningOrder evidence.Document.Owner evidence.Signatory.ID evidence.Signatory.Name evidence.Signatory.Email evidence.Signatory.Role
		evidence.Signatory.Group evidence.Signatory.Authentication evidence.Signatory.NamedBy evidence.Person.Name evidence.Person.Email
		event.invitation.added event.invitation.updated event.invitation.removed event.invitation.named event.invitation.replaced event.invitation.notified event.invitation.reminded
		certificate.title certificate.intro certificate.document certificate.identifier certificate.company certificate.sent_by certificate.order* certificate.people certificate.email
		certificate.role* certificate.group certificate.named_by
		data.title data.name data.names data.email data.authentication data.access_code info.Title info.Author info.Creator info.Producer info.CreationDate info.ModDate`,
		[parties]string{
			sender:   "TestWhatWasApprovedStays TestOnlyLabelsChangeAfterTheDraft TestReplacedIsNotDelegated TestNamesKeepNoControlsOfDirection TestNamesHaveNobodyElsesAddress",
			member:   "TestOperationsAreLimitedToRoles " + operations,
			admin:    "TestWhatWasApprovedStays TestTransferMovesOpenDocuments",
			cosigner: "TestNamedByPrevious TestOnlyThoseWithSomebodyBeforeThemCanBeNamed TestNamesHaveNobodyElsesAddress",
			holder:   "TestSignatoriesDoNotChooseTheCheck",
			proxy:    "- it is in the body of the request, like a file",
			finder:   bytesHold,
		},
	},
	"who did what": {
		`evidence.Document.Status evidence.Document.Signed evidence.Document.Total evidence.Signatory.Status evidence.Signatory.RecordedBy evidence.Signatory.DeclinedReason evidence.Signatory.DeclinedCode
		evidence.Signatory.DelegatedTo evidence.Signatory.FilledIn evidence.Signatory.Changed evidence.Change.Fields evidence.Change.By evidence.Signatory.NotAsked
		event.invitation.viewed event.invitation.signed event.invitation.filled_in event.invitation.read event.invitation.not_needed event.invitation.declined event.invitation.delegated
		event.invitation.problem_reported event.invitation.link_requested
		certificate.signatures certificate.count certificate.state* certificate.signed certificate.approved certificate.filled_in certificate.fields certificate.read certificate.declined certificate.reason
		certificate.delegated_to certificate.changed_by certificate.recorded_by certificate.through* certificate.certified_by evidence.Signatory.Through
		data.by data.recorded_by data.recorded_for data.reason data.reason_code data.reason_name data.from data.to data.through data.repeated data.invitation`,
		[parties]string{
			sender:   "TestActsAreRecordedAsWhoseTheyAre TestReplacedIsNotDelegated",
			member:   "TestActsAreRecordedAsWhoseTheyAre TestTokenScopes",
			admin:    "TestActsAreRecordedAsWhoseTheyAre " + operations,
			cosigner: "TestSignatoriesReachOnlyTheirOwnInvitation TestInvitedPeopleActOnlyInTheirTurn TestCertificateOfTwoAssistants",
			holder:   "TestUnidentifiedPeopleCannotAct TestNotMeIsADecline TestLinkIsSentOnlyToItsOwnAddress",
			proxy:    "- tokens and links decide whose act it is, and they are checked with every request",
			finder:   bytesHold,
		},
	},
	"how a person was identified": {
		`evidence.Signatory.Method evidence.Signatory.Host evidence.Signatory.HostDoubt event.invitation.in_person certificate.identified_by certificate.method.* certificate.host
		data.method data.host`,
		[parties]string{
			sender:   "TestAnAccountThatTheCompanyMadeIsNamed TestNewAccessCodeInvalidatesProofs",
			member:   "TestSignInPerson TestActsTakeNothingThatIsFoundOut",
			admin:    "TestNoCompanyReadsALinkIntoAnAccount TestCodeOfAnEarlierInvitationIsInTheOutbox",
			cosigner: "TestEveryOperationKeepsChecks",
			holder:   "TestUnidentifiedPeopleCannotAct TestWrongCodesAreLimited TestEveryOperationKeepsChecks TestActsTakeNothingThatIsFoundOut",
			proxy:    "TestGuessesBehindAProxyAreCounted TestActsTakeNothingThatIsFoundOut",
			finder:   bytesHold,
		},
	},
	"how links and codes travelled": {
		`evidence.Signatory.Ways evidence.Way.Kind evidence.Way.Code evidence.Way.At evidence.Way.Email evidence.Way.Server evidence.Way.Reply evidence.Way.Who evidence.Way.Token event.invitation.mailed event.invitation.bounced event.invitation.link_shown event.invitation.code_shown event.document.mail_failed event.document.mail_delivered
		certificate.link certificate.code certificate.way.*
		data.server data.reply data.token data.link`,
		[parties]string{
			sender:   "TestCertificateSaysHowTheLinkTravelled TestLinksAreShownToThoseWhoMaySendAndThatIsRecorded TestLiveSecretsAreShownToThoseTheyAreFor",
			member:   "TestLinksAreShownOnlyToThoseWhoMayAct TestLiveSecretsAreShownToThoseTheyAreFor",
			admin:    "TestAReturnedMessageIsRecordedOnce TestBouncedInvitationNeedsAttention TestOutboxWalls",
			cosigner: "TestSignatorySees TestLiveSecretsAreShownToThoseTheyAreFor",
			holder:   "TestPublicLinkCodeServesOnce TestDamagedLinksAreSentAgainAFewTimes",
			proxy:    "TestNamesInRequestsStayOutOfMails",
			finder:   bytesHold,
		},
	},
	"the connection": {
		`evidence.Signatory.IP evidence.Signatory.UserAgent certificate.address certificate.device certificate.agent`,
		[parties]string{
			sender:   "TestActsAreRecordedAsWhoseTheyAre",
			member:   "TestActsTakeNothingThatIsFoundOut",
			admin:    operations,
			cosigner: operations,
			holder:   "- it is the address of whoever held the link, and said to be no more",
			proxy:    "TestForwardedHeaders TestActsTakeNothingThatIsFoundOut TestGuessesBehindAProxyAreCounted",
			finder:   bytesHold,
		},
	},
	"what a person was shown": {
		`evidence.Signatory.Consent evidence.Signatory.ConsentText evidence.Signatory.ConsentSHA256 evidence.Signatory.FormVersion evidence.Signatory.Reading evidence.Signatory.Pages event.invitation.consented event.invitation.consent_withdrawn
		certificate.consent* certificate.reading*
		data.consent data.reading`,
		[parties]string{
			sender:   "TestWhatWasShownIsWhatIsSigned TestNothingUnseenIsSent TestNothingDiffersOnPaperUnnamed",
			member:   "TestActsAreRecordedAsWhoseTheyAre TestWhatWasShownIsWhatIsSigned",
			admin:    "TestConsentIsToTheTextThatWasShown TestNewConsentTextIsAskedAgain TestConsentKeepsItsVersions " + operations,
			cosigner: "TestEverybodyIsShownTheFieldsOfOthers TestNobodysFieldHidesAnother",
			holder:   "TestConsentInTheAPI TestReadToEnd TestActsTakeNothingThatIsFoundOut",
			proxy:    "- pages are sent over TLS, and forms carry the version of what they show",
			finder:   bytesHold,
		},
	},
	"what was entered": {
		`evidence.Signatory.Values evidence.Value.Field evidence.Value.Name evidence.Value.Label evidence.Value.File evidence.Value.Page evidence.Value.Value evidence.Value.Supplied evidence.Value.By evidence.Signatory.Answers evidence.Answer.Field evidence.Answer.Value evidence.Answer.Box evidence.Answer.Ticked certificate.value certificate.yes certificate.no`,
		[parties]string{
			sender:   "TestEvidenceSaysWhoSuppliedValues TestValueByIdentifierCounts",
			member:   "TestEvidenceSaysWhoSuppliedValues TestActsTakeNothingThatIsFoundOut",
			admin:    operations,
			cosigner: "TestRepeatedFieldsTakeOneValue TestCertificateOfTwoAssistants TestActsTakeNothingThatIsFoundOut",
			holder:   "TestActsTakeNothingThatIsFoundOut TestFilledInFieldsAreChecked",
			proxy:    "TestActsTakeNothingThatIsFoundOut",
			finder:   "TestValuesDrawnAnew TestDrawnValues TestFormIsFinal",
		},
	},
	"the signature": {
		`evidence.Signatory.Mark evidence.Mark.Strokes evidence.Mark.Picture evidence.Mark.Typed evidence.Mark.Face evidence.Mark.Color evidence.Signatory.SignatureType evidence.Signatory.Certificate certificate.signature certificate.signature.* certificate.signature_of certificate.signature_number
		certificate.serial certificate.signed_by certificate.approved_by report.SignatureVerdict.Field report.SignatureVerdict.Kind report.SignatureVerdict.Reason report.SignatureVerdict.Revision verify.field verify.kind.* verify.reason
		data.certificate data.certificate_sha256 answer.Signature.Field answer.Signature.Kind answer.Signature.Reason answer.Signature.Revision dictionary.Reason dictionary.Name`,
		[parties]string{
			sender:   "TestActsAreRecordedAsWhoseTheyAre TestBlankSignaturesAreNone",
			member:   "TestActsAreRecordedAsWhoseTheyAre",
			admin:    "TestImportedCertificatesBelongToACompany " + operations,
			cosigner: "TestNobodysFieldHidesAnother TestPicturesLeaveTheTextBeneathVisible",
			holder:   "TestTypesOfSignatures TestUnseenSignature TestWhitePicturesSignNothing",
			proxy:    "- the certificate is issued here for the invitation that the link opens",
			finder:   "TestCoveringIsForbidden TestTwoRolesOfAField TestUnreadableSignature",
		},
	},
	"whose account it is": {
		`evidence.Person.Doubt evidence.Signatory.RecorderDoubt certificate.account.*`,
		[parties]string{
			sender:   "TestAnAccountThatTheCompanyMadeIsNamed",
			member:   "TestWhatProvesAnAddress",
			admin:    "TestALinkThatOthersHaveSeenOpensNoAccountInUse TestACompanyTakesOverNobodyWithItsInvitation TestACompanyDoesNotMoveIntoTheAccountsOfOthers",
			cosigner: "TestNobodyElseChangesCredentials",
			holder:   "TestSomebodyElseIsSignedIn TestNobodyElseChangesCredentials",
			proxy:    "- accounts are found by their tokens",
			finder:   bytesHold,
		},
	},
	"the signed bytes": {
		`report.Report.Signatures report.Report.Findings report.Report.Sound report.SignatureVerdict.End report.SignatureVerdict.CoversAll report.SignatureVerdict.Integrity report.SignatureVerdict.IntegrityReasons
		report.SignatureVerdict.Algorithm report.SignatureVerdict.Level report.SignatureVerdict.Notes report.SignatureVerdict.Problems
		verdict.integrity* verdict.algorithm_unsupported verdict.attributes_* verdict.binding_* verdict.byte_range verdict.content* verdict.contents verdict.cross_references verdict.detached verdict.digest_unsupported
		verdict.encrypted verdict.enveloping verdict.gap verdict.hybrid verdict.message_digest_count verdict.no_signer verdict.not_a_revision verdict.other_signature verdict.overlap verdict.padding
		verdict.several_signers verdict.signed_bytes_changed verdict.tail verdict.too_much_work verdict.unreadable verdict.value_wrong verdict.weak_content verdict.weak_signature verdict.weak_signature_key verdict.password*
		verify.*
		answer.View.Sound answer.View.Integrity answer.View.Findings answer.View.Signatures answer.Signature.Intact answer.Signature.Integrity answer.Integrity.Result answer.Integrity.Reasons answer.Signature.Algorithm answer.Signature.Level answer.Signature.Problems answer.Signature.Notes answer.Signature.Findings answer.Said.Code answer.Said.Args answer.Said.Message answer.Signature.CoversAll dictionary.ByteRange dictionary.Contents dictionary.Filter dictionary.SubFilter dictionary.Type`,
		[parties]string{
			sender:   "TestForgedFiles TestTampered",
			member:   "TestForgedFiles",
			admin:    "TestForgedFiles",
			cosigner: "TestForgedFiles",
			holder:   "TestForgedFiles",
			proxy:    "- it could change the answer itself, not the verdict; whoever doubts it checks the file with another program",
			finder:   "TestForgeries TestFurtherForgeries TestTampered TestFlippedBitsAreNoticed TestRemovedSignatures TestWrapping TestShadow TestQuestionsAreIndependent TestInterrupted",
		},
	},
	"later changes": {
		`report.SignatureVerdict.Later report.SignatureVerdict.Changes report.ChangeVerdict.Revision report.ChangeVerdict.Kind report.ChangeVerdict.Object report.ChangeVerdict.Page report.ChangeVerdict.Field report.ChangeVerdict.Key report.ChangeVerdict.Rule report.ChangeVerdict.Permitted verdict.at.* verdict.change.* verdict.forbidden_change verdict.hidden_object verdict.later* verdict.overlay verdict.removed verdict.rule.*
		answer.View.LaterChanges answer.Signature.LaterChanges answer.Signature.Changes answer.Later.Result answer.Later.Permitted answer.Later.NotPermitted answer.Change.Revision answer.Change.What answer.Change.Kind answer.Change.Page answer.Change.Field answer.Change.Object answer.Change.Rule answer.Change.Permitted answer.Change.Message dictionary.Reference`,
		[parties]string{
			sender:   "TestAnswersReplaceTheUploadsOwn TestOwnFilesAreSound TestCoveringIsForbidden",
			member:   "TestCoveringIsForbidden",
			admin:    "TestCoveringIsForbidden",
			cosigner: "TestNobodysFieldHidesAnother TestCoveringIsForbidden TestAwkwardValuesAreSound",
			holder:   "TestCoveringIsForbidden",
			proxy:    "- as with the signed bytes",
			finder:   "TestChangesAfterSigning TestForgeries TestFurtherForgeries TestContradiction TestValuesDrawnAnew TestTwoRoles TestLegitimateChanges",
		},
	},
	"whose certificate it is": {
		`report.SignatureVerdict.Signer report.SignatureVerdict.Email report.SignatureVerdict.Issuer report.SignatureVerdict.Root report.SignatureVerdict.Revocation report.SignatureVerdict.Identity
		report.SignatureVerdict.IdentityReasons report.SignatureVerdict.Trusted
		verdict.certificate_* verdict.chain_too_long verdict.critical_extension verdict.expired verdict.identity* verdict.issuer_unknown verdict.key_* verdict.may_not_issue verdict.name_constraint
		verdict.not_an_authority verdict.not_yet_valid verdict.revoked verdict.weak_certificate verdict.weak_certificate_key verify.email verify.issuer verify.root verify.revocation*
		data.revocation_unknown answer.View.Identity answer.Signature.Identity answer.Identity.Result answer.Identity.Reasons answer.Signature.Signer answer.Signature.Email answer.Signature.Issuer answer.Signature.Root answer.Signature.Trusted answer.Signature.Revocation`,
		[parties]string{
			sender:   "TestActsAreRecordedAsWhoseTheyAre TestNamesKeepNoControlsOfDirection TestSignatoryNames",
			member:   "TestActsAreRecordedAsWhoseTheyAre",
			admin:    "TestImportedCertificatesBelongToACompany TestCompanyFollowsItsName TestImportRefusals",
			cosigner: "TestOnlySignatoriesAreShortTerm",
			holder:   "TestSignatoryKeyIsNeverStored",
			proxy:    "- revocation data is signed by the authority",
			finder:   "TestChainFaults TestImpostorRoot TestSubstitutedCertificate TestKeyForPSSAlone",
		},
	},
	"where it was completed": {
		`report.Report.Origin report.Origin.Document report.Origin.CompletedAt report.Origin.Whole verdict.origin*
		answer.View.SignedHere answer.OriginView.Document answer.OriginView.CompletedAt answer.OriginView.Whole`,
		[parties]string{
			sender:   "TestMigrationIndexesCompletedFiles TestCheckTellsWhatIsOurs",
			member:   "- the files that are completed here are listed by their hashes when they are bytesHold, by no operation",
			admin:    "TestCompanyMovesToAnotherInstallation TestUnencryptedExportHasNoPasswords",
			cosigner: "- as for a member",
			holder:   "- as for a member",
			proxy:    "- as with the signed bytes",
			finder:   "TestCheckTellsWhatIsOurs",
		},
	},
}

// statements lists everything that the certificate of completion, the evidence and /verify can say.
func statements(t *testing.T) (all []string) {
	t.Helper()
	var members func(prefix string, of reflect.Type)
	seen := map[reflect.Type]bool{}
	members = func(prefix string, of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] || !described(of) {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			if of.Field(i).IsExported() {
				all = append(all, prefix+"."+of.Name()+"."+of.Field(i).Name)
			}
			members(prefix, of.Field(i).Type)
		}
	}
	members("evidence", reflect.TypeFor[completion.Evidence]())
	members("report", reflect.TypeFor[report.Report]())
	members("answer", reflect.TypeFor[reportjson.View]())
	all = append(all, eventData(t)...)
	for _, e := range record.EventNames() {
		all = append(all, "event."+e)
	}
	for file, said := range map[string][]string{"certificate": {"certificate."}, "verdict": {"verdict."}, "public": {"verify."}} {
		data, err := os.ReadFile("words/en/" + file + ".json")
		var texts map[string]any
		if err == nil {
			err = json.Unmarshal(data, &texts)
		}
		if err != nil {
			t.Fatal(err)
		}
		for name := range texts {
			if strings.HasPrefix(name, said[0]) && !strings.HasPrefix(name, "certificate.event.") { // one for each event
				all = append(all, name)
			}
		}
	}
	all = append(all, inAFile...)
	slices.Sort(all)
	return all
}

// described reports whether the members of a type are statements of their own.
func described(of reflect.Type) bool {
	return strings.HasPrefix(of.PkgPath(), "paraph/app/signing/") || of.PkgPath() == "paraph/app/reportjson"
}

var dataMember = regexp.MustCompile(`(?:\.With\(|\bdata[A-Z]\w* *= )"([a-z0-9_]+)\.?"`)

// eventData lists what the events of documents say beside their type.
func eventData(t *testing.T) (all []string) {
	t.Helper()
	eachSource(t, "signing", func(path string, text []byte) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, found := range dataMember.FindAllSubmatch(text, -1) {
			if name := "data." + string(found[1]); !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	})
	return all
}

// inAFile are statements that signed files make beside their pages.
var inAFile = strings.Fields("dictionary.Type dictionary.Filter dictionary.SubFilter dictionary.ByteRange dictionary.Contents " +
	"dictionary.Reason dictionary.Name dictionary.M dictionary.Reference info.Title info.Author info.Creator info.Producer info.CreationDate info.ModDate")

// TestEveryStatementRestsOnSomethingThatWasTried finds statements of which nobody has said what they rest on, and tests
// that are named and do not exist.
func TestEveryStatementRestsOnSomethingThatWasTried(t *testing.T) {
	t.Parallel()
	exact, begins, used := map[string]string{}, map[string]string{}, map[string]bool{}
	for name, g := range claims {
		for statement := range strings.FieldsSeq(g.names) {
			into := exact
			if strings.HasSuffix(statement, "*") {
				into, statement = begins, strings.TrimSuffix(statement, "*")
			}
			if into[statement] != "" {
				t.Errorf("%s rests on %s and on %s", statement, name, into[statement])
			}
			into[statement] = name
		}
	}
	all := statements(t)
	if len(all) < 350 {
		t.Fatalf("only %d statements are known", len(all))
	}
	for _, s := range all {
		found := s
		if exact[s] == "" {
			found = ""
			for b := range begins {
				if strings.HasPrefix(s, b) && len(b) >= len(found) {
					found = b
				}
			}
		}
		if found == "" {
			t.Errorf("%s: what does it rest on, and who could make it untrue?", s)
		}
		used[found] = true
	}
	for _, known := range []map[string]string{exact, begins} {
		for s := range known {
			if !used[s] {
				t.Errorf("nothing says %s", s)
			}
		}
	}
	tests := existingTests(t)
	for name, g := range claims {
		for p, tries := range g.tries {
			if tries == "" {
				t.Errorf("%s: what of %s?", name, party(p))
			}
			if strings.HasPrefix(tries, "- ") {
				continue
			}
			for test := range strings.FieldsSeq(tries) {
				if !tests[test] {
					t.Errorf("%s: there is no %s, which tries it for %s", name, test, party(p))
				}
			}
		}
	}
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)

// existingTests lists the tests of the program.
func existingTests(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	eachSource(t, ".", func(path string, text []byte) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, found := range testFunction.FindAllSubmatch(text, -1) {
			all[string(found[1])] = true
		}
	})
	return all
}

// eachSource reads the Go files below a folder.
func eachSource(t *testing.T, folder string, visit func(path string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && e.Name() == "testdata" {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		visit(path, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
