package app_test

import (
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/signing/record"
)

// TestSavedAnswersAreNoDamage checks the data while a signatory has filled in part of a document.
func TestSavedAnswersAreNoDamage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	i := sendWith(t, c, apptest.Map{})
	who := account.Actor{Kind: account.ActorSignatory, CompanyID: c.CompanyID, Document: i.document, Invitation: i.invitation}
	if err := s.Signing.Signing.SaveAnswers(account.Call{Actor: who}, i.document, i.invitation, record.Answers{}); err != nil {
		t.Fatal(err)
	}
	for _, problem := range s.Check(t.Context(), false) {
		t.Error(problem)
	}
}
