package api

import (
	"paraph/app/account"
	"paraph/app/httpkit"
)

// recordBody is the size limit of a body that describes one record.
const recordBody = 256 * httpkit.KB

// anyone returns the rule for endpoints open to everybody.
func anyone() httpkit.Rule { return httpkit.Rule{For: httpkit.Everyone, Body: httpkit.Small} }

// self returns the rule for operations on the caller's own account, whatever
// their role.
func self() httpkit.Rule { return httpkit.Rule{For: httpkit.Members, Body: httpkit.Small} }

// may returns the rule for members whose role and token include the scope.
func may(scope account.Scope) httpkit.Rule {
	return httpkit.Rule{For: httpkit.Members, Scope: scope, Body: recordBody}
}

// shared returns the rule for such members, and for signatories of the
// document.
func shared(scope account.Scope) httpkit.Rule {
	return httpkit.Rule{For: httpkit.Parties, Scope: scope, Body: httpkit.Small}
}

// operators returns the rule for administrators of the installation. For everybody else
// the endpoint doesn't exist.
func operators() httpkit.Rule { return httpkit.Rule{For: httpkit.Operators, Body: recordBody} }
