// Package account knows who people are and what they may do: users, companies,
// memberships with roles, tokens, and login. It also defines who acts ([Actor]),
// because the rest of the domain builds on it.
//
// Callers may rely on three things. Every method that takes an [Actor] checks
// that actor itself: another company's record is not found, a record of one's own
// company that the role may not touch is forbidden.
// A faulty input is reported whole, in one error that names every field. And
// nothing that could be used to log in (password, token, recovery code, link) is
// stored other than hashed, signed, or encrypted.
package account
