package editor

import (
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// changedRecipients is the response to a change of the recipients.
type changedRecipients struct {
	State editorState `json:"state"`
	New   string      `json:"new,omitempty"` // ID of the invitation that was added
}

// ChangeRecipients adds, changes, removes or reorders recipients, for the editor's
// script. Removing a recipient removes their fields.
func (h *Handlers) ChangeRecipients(r *page.Request) error {
	version, err := seenVersion(r)
	if err != nil {
		return err
	}
	d, added, err := h.changeRecipient(r, version, r.Params("id"), r.Form.Value("recipient"))
	if err != nil {
		return h.respondConflict(r, err)
	}
	return r.JSON(changedRecipients{h.stateOf(r, d), added})
}

func (h *Handlers) changeRecipient(
	r *page.Request, version int64, id, recipient string,
) (d *record.Document, added string, err error) {
	who := r.Who.Call
	if d, err = h.Drafts.Get(who, id); err != nil {
		return nil, "", err
	}
	who = who.At(version)
	in := recipientInput(r)
	if inv := d.Invitation(recipient); d.Template || inv != nil && inv.NamedByPrevious {
		in = roleInput(in)
	}
	switch r.Form.Value("do") {
	case "add":
		var made []record.Invitation
		if d, made, err = h.Drafts.Invite(who, id, []record.InvitationInput{in}); err == nil {
			added = made[0].ID
		}
	case "update":
		d, err = h.Drafts.UpdateInvitation(who, id, recipient, in)
	case "remove":
		d, err = h.Drafts.RemoveInvitation(who, id, recipient)
	case "arrange":
		d, err = h.Drafts.ReplaceInvitations(who, id, arranged(strings.Fields(r.Form.Value("order"))))
	case "order":
		order := r.Form.Value("order")
		d, err = h.Drafts.Update(who, id, record.DocumentInput{SigningOrder: &order})
	default:
		err = fault.Malformed("form_without_recipient_action")
	}
	return d, added, err
}

// roleInput treats a name without an address as that of a role.
func roleInput(in record.InvitationInput) record.InvitationInput {
	if in.Name != nil && (in.Email == nil || *in.Email == "") {
		in.RoleName, in.Name = in.Name, new(string)
	}
	return in
}

// arranged returns a change of the invitations' positions to the given order.
func arranged(order []string) []record.InvitationInput {
	out := make([]record.InvitationInput, 0, len(order))
	for i, id := range order {
		position := i + 1
		out = append(out, record.InvitationInput{ID: id, Position: &position})
	}
	return out
}

// recipientInput reads the form of one recipient. Inputs missing from the form stay
// unset.
func recipientInput(r *page.Request) record.InvitationInput {
	text := func(name string) *string {
		if !r.Form.Has(name) {
			return nil
		}
		v := strings.TrimSpace(r.Form.Value(name))
		return &v
	}
	in := record.InvitationInput{Name: text("name"), Email: text("email"), Role: text("role"), Authentication: text("authentication"),
		Locale: text("locale"), Message: text("message"),
		Company: text("company"), JobTitle: text("job_title")}
	if code := r.Form.Value("access_code"); code != "" {
		in.AccessCode = &code
	}
	if n, err := strconv.Atoi(r.Form.Value("position")); err == nil {
		in.Position = &n
	}
	return in
}
