package account

import "paraph/app/turns"

// Call is one call of a service: the caller, where they are, and what they have seen. It is an argument
// of every method that reads or changes a company's data, never hidden in a context.
type Call struct {
	Actor
	From

	// Once records that the work is done, for a request with an idempotency key. Nil records nothing.
	Once *Once

	// Seen lists the versions of the document that the caller has seen. Reading a document that is
	// at another version is refused; nil accepts any.
	Seen []int64
}

// Call returns a call by the actor that comes from there.
func (a Actor) Call(from From) Call { return Call{Actor: a, From: from} }

// At returns the call of somebody who has seen these versions of the document; none accepts any.
func (c Call) At(versions ...int64) Call {
	c.Seen = versions
	return c
}

// System is a call by the service itself, acting in one company ("" for none).
func System(companyID string) Call {
	return Call{Actor: Actor{Kind: ActorSystem, CompanyID: companyID, Name: "System", Role: RoleOwner, Scopes: Scopes()}}
}

// Turn returns the key under which the call queues for scarce resources.
func (c Call) Turn() turns.Key {
	switch {
	case c.Kind == ActorSignatory:
		return turns.Guest(c.CompanyID, c.Invitation)
	case c.CompanyID != "":
		return turns.Member(c.CompanyID, c.UserID)
	case c.Kind == ActorSystem:
		return turns.Key{}
	}
	return turns.Stranger(c.IP)
}
