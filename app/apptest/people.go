package apptest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"paraph/app/account"
)

// Anonymous returns a client without a token.
func (s *Server) Anonymous() *Client { return &Client{Server: s} }

// With returns a client with a token, valid or not.
func (s *Server) With(token string) *Client { return &Client{Server: s, Token: token} }

// Login logs a user in through the API and returns their client.
func (s *Server) Login(t testing.TB, email string) *Client {
	t.Helper()
	r := s.Anonymous().Post(t, "/login", Map{"email": email, "password": Password}).Want(t, http.StatusOK)
	c := s.With(r.Text(t, "companies.0.token"))
	c.CompanyID, c.UserID, c.Email = r.Text(t, "companies.0.id"), r.Text(t, "id"), email
	return c
}

// Company creates a company for one test and returns its owner, logged in.
func (s *Server) Company(t testing.TB) *Client {
	t.Helper()
	n := s.made.Add(1)
	c, err := s.Accounts.Operator.AddCompany(fmt.Sprintf("Company %d", n), "en", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	owner := s.With("")
	owner.CompanyID = c.ID
	return owner.Member(t, account.RoleOwner)
}

// Member adds a member to the client's company and returns them, logged in.
func (c *Client) Member(t testing.TB, role account.Role) *Client {
	t.Helper()
	email := fmt.Sprintf("%s%d@company.example", role, c.made.Add(1))
	_, err := c.Accounts.Operator.AddUser(t.Context(), account.UserInput{Name: strings.ToUpper(string(role[0])) + string(role[1:]) + " Person", Email: email,
		CompanyID: c.CompanyID, Role: role, Password: Password})
	if err != nil {
		t.Fatal(err)
	}
	return c.Server.Login(t, email)
}
