// Package account manages people and their permissions: users, companies,
// memberships with roles, tokens, and login. It also defines the [Actor], because
// the rest of the domain builds on it.
//
// Callers may rely on three things. Every method that takes an [Actor] checks
// that actor itself: another company's record is not found, and a record of the
// actor's own company that the role may not touch is forbidden. Invalid input is
// reported completely, in one error that names every field. And nothing that
// could be used to log in (password, token, recovery code, link) is stored unless
// it is hashed, signed, or encrypted.
package account
