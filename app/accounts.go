package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"paraph/app/account"
)

// addUser adds a person to a company, by default the first one.
func addUser(ctx context.Context, a *App, in account.UserInput, w io.Writer) error {
	s := a.Accounts
	if in.CompanyID == "" {
		all, err := s.Operator.AllCompanies(ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return errors.New("there is no company yet; start the server once")
		}
		in.CompanyID = all[0].ID
	}
	invented := in.Password == ""
	if invented {
		in.Password = rand.Text()
	}
	u, err := s.Operator.AddUser(ctx, in)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "Added %s as %s.\n", u.Email, in.Role)
	if invented {
		fmt.Fprintf(w, "Password: %s\n", in.Password)
	}
	return nil
}

// PasswordOrder is the input of the command that sets a person's password.
type PasswordOrder struct{ Email, Password string }

// setPassword sets a person's password, by default an invented one, and disables their two-factor login.
func setPassword(ctx context.Context, a *App, in PasswordOrder, w io.Writer) error {
	invented := in.Password == ""
	if invented {
		in.Password = rand.Text()
	}
	if err := a.Accounts.Operator.SetPassword(ctx, in.Email, in.Password, true); err != nil {
		return err
	}
	fmt.Fprintf(w, "Set the password of %s, and turned off their second factor.\n", in.Email)
	if invented {
		fmt.Fprintf(w, "Password: %s\n", in.Password)
	}
	return nil
}

// NoInput is the input of commands that take none.
type NoInput struct{}

// listUsers lists the people of the installation.
func listUsers(ctx context.Context, a *App, _ NoInput, w io.Writer) error {
	all, err := a.Accounts.Operator.AllUsers(ctx)
	if err != nil {
		return err
	}
	for _, u := range all {
		var roles []string
		for _, c := range u.Companies {
			roles = append(roles, fmt.Sprintf("%s of %s (%s)", c.Role, c.Name, c.ID))
		}
		fmt.Fprintf(w, "%s  %-30s %-20s %s\n", u.ID, u.Email, u.Name, strings.Join(roles, ", "))
	}
	return nil
}

// RoleOrder is the input of the command that changes a person's role.
type RoleOrder struct {
	Email string
	Role  account.Role
}

// setRole changes a person's role in the company they have been in the longest.
func setRole(_ context.Context, a *App, in RoleOrder, w io.Writer) error {
	who, err := a.Accounts.Operator.ActorFor(in.Email, "")
	if err != nil {
		return err
	}
	if _, err := a.Accounts.Companies.UpdateMember(account.System(who.CompanyID), who.UserID, account.MemberPatch{Role: &in.Role}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s is %s now.\n", in.Email, in.Role)
	return err
}

// PersonOrder is the input of commands about a person.
type PersonOrder struct{ Email string }

// revokeUser deactivates a person in all companies.
func revokeUser(_ context.Context, a *App, in PersonOrder, w io.Writer) error {
	if err := a.Accounts.Operator.SetActive(in.Email, false); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s can no longer sign in.\n", in.Email)
	return err
}

// TokenOrder is the input of the command that creates an API token.
type TokenOrder struct{ Email, Name, Scopes string }

// addToken creates an API token that acts as a person.
func addToken(_ context.Context, a *App, in TokenOrder, w io.Writer) error {
	who, err := a.Accounts.Operator.ActorFor(in.Email, "")
	if err != nil {
		return err
	}
	token := account.TokenInput{Name: in.Name}
	for word := range strings.SplitSeq(in.Scopes, ",") {
		if word = strings.TrimSpace(word); word != "" {
			token.Scopes = append(token.Scopes, account.Scope(word))
		}
	}
	t, err := a.Accounts.Profile.CreateToken(account.Call{Actor: who}, token)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, t.Secret)
	return err
}

// listTokens lists the API tokens of a person's company.
func listTokens(_ context.Context, a *App, in PersonOrder, w io.Writer) error {
	who, err := a.Accounts.Operator.ActorFor(in.Email, "")
	if err != nil {
		return err
	}
	list, err := a.Accounts.Profile.ListTokens(account.Call{Actor: who}, account.TokenQuery{})
	if err != nil {
		return err
	}
	for _, t := range list.Items {
		fmt.Fprintf(w, "%s  %-20s %v by %s\n", t.ID, t.Name, t.Scopes, t.UserName)
	}
	return nil
}

// RevocationOrder is the input of the command that revokes an API token.
type RevocationOrder struct{ Email, Token string }

// revokeToken revokes an API token immediately.
func revokeToken(_ context.Context, a *App, in RevocationOrder, w io.Writer) error {
	who, err := a.Accounts.Operator.ActorFor(in.Email, "")
	if err != nil {
		return err
	}
	if err := a.Accounts.Profile.RevokeToken(account.Call{Actor: who}, in.Token); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "The token %s no longer works.\n", in.Token)
	return err
}
