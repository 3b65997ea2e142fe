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

// AddUser adds a person to a company, by default the first one.
func AddUser(ctx context.Context, s *account.Services, in account.UserInput, w io.Writer) error {
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

// SetPassword sets a person's password and disables their two-factor login.
func SetPassword(ctx context.Context, s *account.Services, email, password string, w io.Writer) error {
	invented := password == ""
	if invented {
		password = rand.Text()
	}
	if err := s.Operator.SetPassword(ctx, email, password, true); err != nil {
		return err
	}
	if invented {
		fmt.Fprintf(w, "Password: %s\n", password)
	}
	return nil
}

// ListUsers lists the people of the installation.
func ListUsers(ctx context.Context, s *account.Services, w io.Writer) error {
	all, err := s.Operator.AllUsers(ctx)
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

// SetRole changes a person's role in the company they have been in the longest.
func SetRole(s *account.Services, email, role string) error {
	who, err := s.Operator.ActorFor(email, "")
	if err != nil {
		return err
	}
	r := account.Role(role)
	_, err = s.Companies.UpdateMember(account.System(who.CompanyID), who.UserID, account.MemberPatch{Role: &r})
	return err
}

// AddToken creates an API token that acts as a person.
func AddToken(s *account.Services, email, name, scopes string, w io.Writer) error {
	who, err := s.Operator.ActorFor(email, "")
	if err != nil {
		return err
	}
	in := account.TokenInput{Name: name}
	for word := range strings.SplitSeq(scopes, ",") {
		if word = strings.TrimSpace(word); word != "" {
			in.Scopes = append(in.Scopes, account.Scope(word))
		}
	}
	t, err := s.Profile.CreateToken(account.Call{Actor: who}, in)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, t.Secret)
	return err
}

// ListTokens lists the API tokens of a person's company.
func ListTokens(s *account.Services, email string, w io.Writer) error {
	who, err := s.Operator.ActorFor(email, "")
	if err != nil {
		return err
	}
	list, err := s.Profile.ListTokens(account.Call{Actor: who}, account.TokenQuery{})
	if err != nil {
		return err
	}
	for _, t := range list.Items {
		fmt.Fprintf(w, "%s  %-20s %v by %s\n", t.ID, t.Name, t.Scopes, t.UserName)
	}
	return nil
}

// RevokeToken revokes an API token immediately.
func RevokeToken(s *account.Services, email, id string) error {
	who, err := s.Operator.ActorFor(email, "")
	if err != nil {
		return err
	}
	return s.Profile.RevokeToken(account.Call{Actor: who}, id)
}
