package machine

import (
	"context"

	"paraph/app/account"
	"paraph/app/list"
	"paraph/app/signing/store"
)

// Company is a company and its usage. The figures are updated with each change rather
// than counted when read.
type Company struct {
	account.Tenant
	store.Usage
}

// ListCompanies returns the companies whose name begins with name, by name.
func (s *Service) ListCompanies(
	who account.Call, name string, offset, limit int,
) (all list.Page[Company], err error) {
	found, err := s.Accounts.Companies.ListTenants(who, name, offset, limit)
	if err != nil {
		return all, err
	}
	all.Total = found.Total
	for _, t := range found.Items {
		u, err := s.Store.UsageOf(t.ID)
		if err != nil {
			return list.Page[Company]{}, err
		}
		all.Items = append(all.Items, Company{t, u})
	}
	return all, nil
}

// GetCompany returns a company.
func (s *Service) GetCompany(who account.Call, id string) (Company, error) {
	t, err := s.Accounts.Companies.GetTenant(who, id)
	if err != nil {
		return Company{}, err
	}
	u, err := s.Store.UsageOf(id)
	return Company{t, u}, err
}

// AddCompany adds a company with its first owner.
func (s *Service) AddCompany(
	ctx context.Context, who account.Call, in account.CompanyInput,
) (account.Bootstrapped, error) {
	if err := requireOperator(who); err != nil {
		return account.Bootstrapped{}, err
	}
	return s.Accounts.Companies.FoundCompany(ctx, who, in)
}

// RenameCompany renames a company.
func (s *Service) RenameCompany(who account.Call, id, name string) (Company, error) {
	if err := requireOperator(who); err != nil {
		return Company{}, err
	}
	if _, err := s.Accounts.Companies.RenameCompany(who, id, name); err != nil {
		return Company{}, err
	}
	return s.GetCompany(who, id)
}
