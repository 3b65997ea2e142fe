package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/confine"
	"paraph/app/pdf/pdfium"
	"paraph/app/pdf/text"
	"paraph/app/words"
)

// conversionExam examines the programs and fonts with which files are read and converted.
type conversionExam struct {
	config   ConvertConfig
	pdfium   *pdfium.Engine
	words    *words.Catalogue
	fonts    *text.Fonts
	accounts *account.Services
}

func (x conversionExam) pdf(ctx context.Context) Finding {
	if err := x.pdfium.Warm(ctx); err != nil {
		remedy := "It needs about 200 MB of memory, and a temporary folder that it may write to."
		if errors.Is(err, context.DeadlineExceeded) {
			remedy = "The machine is too busy to start it in time: try again, and give it more processors if that helps nothing."
		}
		return Finding{"pdf", problem, "The PDF engine does not start: " + err.Error() + ".", remedy}
	}
	return Finding{"pdf", fine, "The PDF engine works.", ""}
}

func (x conversionExam) office(ctx context.Context) Finding {
	const remedy = "Install LibreOffice Writer, or name its soffice in convert.soffice."
	o := findOffice(x.config)
	switch {
	case o == nil && x.config.Soffice == "none":
		return Finding{"libreoffice", fine, "DOCX files are converted by the built-in converter, as configured.", ""}
	case o == nil && x.config.Soffice != "":
		return Finding{"libreoffice", problem, x.config.Soffice + " is not there; the built-in converter is used.", remedy}
	case o == nil:
		return Finding{"libreoffice", warning, "LibreOffice was not found; the built-in converter does simple DOCX files only.", remedy}
	}
	version, err := o.Version(ctx)
	if err != nil {
		return Finding{"libreoffice", problem, fmt.Sprintf("%s does not start: %v.", o.Path, err), remedy}
	}
	if lack := unconfined(confine.Offered()); lack != "" {
		return Finding{"libreoffice", warning, fmt.Sprintf("%s is %s. This system can't keep it from %s; references are only removed from files.",
			o.Path, version, lack), confineRemedy}
	}
	return Finding{"libreoffice", fine, fmt.Sprintf("%s is %s. It sees nothing but the file that it converts.", o.Path, version), ""}
}

// languages checks the languages used by companies and members: the fonts of this program, which
// LibreOffice uses as well.
func (x conversionExam) languages(ctx context.Context) Finding {
	seen, err := x.locales(ctx)
	if err != nil {
		return Finding{"fonts", problem, "The languages in use cannot be read: " + err.Error() + ".", "Run paraph check."}
	}
	var lack []string
	for _, locale := range seen {
		l := x.words.Match(locale)
		if len(x.fonts.Missing(l.Name()+" "+l.Say("mail.invitation.subject", "title", "", "sender", "", "name", "", "company", ""))) > 0 {
			lack = append(lack, locale)
		}
	}
	if len(lack) > 0 {
		return Finding{"fonts", warning, "The built-in fonts lack characters of " + strings.Join(lack, ", ") + ".", "Names in these languages are drawn with boxes; the text of signatures stays correct."}
	}
	return Finding{"fonts", fine, "The built-in fonts have every language in use: " + strings.Join(seen, ", ") + ".", ""}
}

// locales lists the languages of companies and members.
func (x conversionExam) locales(ctx context.Context) (seen []string, err error) {
	companies, err := x.accounts.Operator.AllCompanies(ctx)
	if err != nil {
		return nil, err
	}
	users, err := x.accounts.Operator.AllUsers(ctx)
	for i := range companies {
		seen = append(seen, companies[i].Locale)
	}
	for i := range users {
		seen = append(seen, users[i].Locale)
	}
	slices.Sort(seen)
	return slices.DeleteFunc(slices.Compact(seen), func(s string) bool { return s == "" }), err
}
