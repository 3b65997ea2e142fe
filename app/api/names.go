package api

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// schemaName returns what a type is called in the description. Generated clients have types of
// these names, so that they are the terms of the field, and stay: renaming one breaks programs.
func schemaName(t reflect.Type, hint string) string {
	return schemaNameOf(huma.DefaultSchemaNamer(t, hint))
}

func schemaNameOf(name string) string {
	if known, ok := schemaNames[name]; ok {
		return known
	}
	if of, ok := strings.CutPrefix(name, "Envelope"); ok {
		return schemaNameOf(of) + "Page"
	}
	if of, ok := strings.CutPrefix(name, "All"); ok {
		return schemaNameOf(of) + "List"
	}
	for suffix, instead := range map[string]string{"View": "", "Body": "Request", "Patch": "Changes"} {
		if of, ok := strings.CutSuffix(name, suffix); ok {
			return of + instead
		}
	}
	return name
}

// schemaNames holds the names that don't follow from those of the types.
var schemaNames = map[string]string{
	// Responses
	"AilingView": "DocumentNeedingAttention", "AllString": "LogLines", "BelongsTo": "AccountMembership",
	"BulkAnswer": "BulkResult", "CeremonyView": "PasskeyCeremony", "Change": "RevisionChange", "ClockAnswer": "Clock",
	"DeliveryRequestView": "DeliveredRequest", "DeliveryResponseView": "DeliveredResponse", "DeliveryRow": "DeliverySummary", "EndedView": "EndedSessions", "EventMessage": "WebhookMessage",
	"EventMessageData": "WebhookMessageData", "EventsAnswer": "EventFeed", "Failure": "ErrorResponse",
	"FoundedView": "NewCompany", "HandedView": "RevealedLinks", "Identity": "IdentityVerdict", "ImportAnswer": "ImportResult",
	"InclusionView": "InclusionProof", "Integrity": "IntegrityVerdict", "InvalidRow": "InvalidBulkRow",
	"Later": "LaterRevisions", "LinkPersonView": "PublicLinkPerson", "Links": "PageLinks", "MailLine": "MailTestLine",
	"MailRow": "FailedMessage", "MailTestView": "MailTestResult", "MailView": "TestMessage", "Message": "Confirmation",
	"MessageRow": "MessageSummary", "Meta": "PageMeta", "NewPasskeyView": "RegisteredPasskey", "PartView": "FilePart",
	"PersonRow": "Account", "ProvenView": "Proof", "RedeliveredView": "RedeliveredCount", "RoleView": "TemplateRole",
	"Row": "DocumentSummary", "RowPerson": "DocumentOwner", "RowSignatory": "RecipientSummary", "RunView": "BulkRun",
	"Said": "Statement", "SenderView": "SenderDomain", "Signature": "SignatureReport",
	"SizeView": "PageSize", "TenantView": "InstalledCompany", "TestMailAnswer": "TestMessageResult",
	"TestScope": "TestScopeRequest", "TestView": "ConditionTest", "TextChangeView": "MessageTextChange", "TextKindView": "MessageKind",
	"TextPreview": "MessagePreview", "TextView": "MessageText", "TokenAnswer": "SigningToken", "TriesView": "DeliveryCounts",
	"TwoFactorAnswer": "TwoFactorSetup", "UserCompanyView": "ProfileCompany", "UserView": "Profile", "View": "VerificationReport",

	// Bodies of requests
	"CreateBody": "CreateDocumentRequest", "DocumentBody": "DocumentChanges", "EmailBody": "EmailAddressRequest",
	"FillBody": "FillInRequest", "InviteBody": "AddInvitationsRequest", "MePatch": "ProfileChanges",
	"MemberBody": "InviteMemberRequest", "ProvenBody": "PasswordConfirmation", "ReplaceBody": "ReplaceFileRequest",
	"ResetBody": "PasswordResetRequest", "SetupBody": "TwoFactorSetupRequest", "TemplateBody": "TemplateChanges",
	"TenantBody": "AddCompanyRequest", "TextBody": "MessageTextRequest", "TokenBody": "CreateTokenRequest",
	"UseTemplateBody": "CreateFromTemplateRequest",

	// Parts of bodies
	"AnchorBody": "AnchorInput", "BulkRowBody": "BulkRowInput", "ConditionBody": "ConditionInput", "FieldBody": "FieldInput",
	"InvitationBody": "InvitationInput", "LinkPersonBody": "PublicLinkPersonInput", "MarkBody": "MarkInput",
	"NextBody": "NextRecipientInput", "RolePersonBody": "RecipientInput", "TestBody": "ConditionTestInput",
}

// titleOf returns the title of a record that several operations share, "" for the body of a request
// and what only wraps records.
func titleOf(schema string) string {
	for _, suffix := range []string{"Request", "Changes", "Input", "Page", "List"} {
		if strings.HasSuffix(schema, suffix) {
			return ""
		}
	}
	var out strings.Builder
	for i, r := range schema {
		if i > 0 && r >= 'A' && r <= 'Z' && schema[i-1] >= 'a' {
			out.WriteByte(' ')
			if i+1 < len(schema) && schema[i+1] >= 'a' {
				r += 'a' - 'A'
			}
		}
		out.WriteRune(r)
	}
	return out.String()
}
