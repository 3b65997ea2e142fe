package web

import (
	"strconv"
	"strings"

	"paraph/app/account"
	"paraph/app/signing"
)

// changedRecipients is the answer to a change of the people of a document.
type changedRecipients struct {
	State editorState `json:"state"`
	New   string      `json:"new,omitempty"` // the invitation that was added
}

// changeRecipients adds, changes, removes or arranges people, for the script of
// the editor. Removing somebody removes their fields.
func (r *request) changeRecipients() error {
	who, err := r.seen()
	if err != nil {
		return err
	}
	d, added, err := r.changeRecipient(who, r.Params("id"), r.form.value("recipient"))
	if err != nil {
		return r.overtaken(err)
	}
	return r.JSON(changedRecipients{stateOf(d), added})
}

func (r *request) changeRecipient(who account.Actor, id, recipient string) (d *signing.Document, added string, err error) {
	s, ctx := r.door.Signing, r.UserContext()
	switch r.form.value("do") {
	case "add":
		var made []signing.Invitation
		if d, made, err = s.Invite(ctx, who, id, []signing.InvitationInput{r.recipient()}); err == nil {
			added = made[0].ID
		}
	case "update":
		d, err = s.UpdateInvitation(ctx, who, id, recipient, r.recipient())
	case "remove":
		d, err = s.RemoveInvitation(ctx, who, id, recipient)
	case "arrange":
		d, err = s.ReplaceInvitations(ctx, who, id, arranged(strings.Fields(r.form.value("order"))))
	case "order":
		order := r.form.value("order")
		d, err = s.Update(ctx, who, id, signing.DocumentInput{SigningOrder: &order})
	default:
		err = account.Malformed("It is not known what to do with the recipient.")
	}
	return d, added, err
}

// arranged gives people, who stay as they are, their places in an order.
func arranged(order []string) []signing.InvitationInput {
	out := make([]signing.InvitationInput, 0, len(order))
	for i, id := range order {
		place := i + 1
		out = append(out, signing.InvitationInput{ID: id, Position: &place})
	}
	return out
}

// recipient reads the form of one person. What the form does not have is not said.
func (r *request) recipient() signing.InvitationInput {
	text := func(name string) *string {
		if !r.form.has(name) {
			return nil
		}
		v := strings.TrimSpace(r.form.value(name))
		return &v
	}
	in := signing.InvitationInput{Name: text("name"), Email: text("email"), Role: text("role"), Authentication: text("authentication"),
		Locale: text("locale"), Message: text("message")}
	if code := r.form.value("access_code"); code != "" {
		in.AccessCode = &code
	}
	if n, err := strconv.Atoi(r.form.value("position")); err == nil {
		in.Position = &n
	}
	return in
}

// knownPerson is somebody who may be meant by what was typed.
type knownPerson struct {
	Name   string `json:"name"`
	Email  string `json:"email"`
	Locale string `json:"locale"`
}

// suggestContacts answers a script with the contacts that somebody who has typed
// a few letters may mean.
func (r *request) suggestContacts() error {
	found, err := r.door.Contacts.Suggest(r.UserContext(), r.who.Actor, r.Query("q"), 8)
	if err != nil {
		return err
	}
	out := struct {
		Data []knownPerson `json:"data"`
	}{[]knownPerson{}}
	for i := range found {
		out.Data = append(out.Data, knownPerson{found[i].Name, found[i].Email, found[i].Locale})
	}
	return r.JSON(out)
}
