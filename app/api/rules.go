package api

import (
	"paraph/app/account"
	"paraph/app/httpkit"
)

// record is the size of a body that describes one record.
const record = 256 * httpkit.KB

// anyone is for endpoints that strangers may call.
func anyone() httpkit.Rule { return httpkit.Rule{For: httpkit.Everyone, Body: httpkit.Small} }

// self is for what somebody does to their own account, whatever their role.
func self() httpkit.Rule { return httpkit.Rule{For: httpkit.Members, Body: httpkit.Small} }

// may is for members whose role and token allow what the scope names.
func may(scope account.Scope) httpkit.Rule {
	return httpkit.Rule{For: httpkit.Members, Scope: scope, Body: record}
}

// shared is for such members, and for signatories where the document is theirs.
func shared(scope account.Scope) httpkit.Rule {
	return httpkit.Rule{For: httpkit.Parties, Scope: scope, Body: httpkit.Small}
}
