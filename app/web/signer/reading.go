package signer

import (
	"strconv"
	"strings"

	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// readingView is the part of the page of a document that has to be read to the end. A script
// notes the pages that were shown; without one, the visitor confirms that they have read them.
type readingView struct {
	Pages     int
	Shown     string // numbers of pages
	Confirmed bool
	Error     string
}

func (s *signPage) requireReading(v *Visitor, sent page.Form) {
	if v.Document.ReadToEnd && v.Invitation.Role != record.Assistant {
		s.Reading = &readingView{Pages: len(s.Sheets), Shown: sent.Value("pages"), Confirmed: sent.Value("read_all") == "yes"}
	}
}

// reading reads what the form says about the pages that were read.
func reading(v *Visitor) record.Reading {
	in := record.Reading{Confirmed: v.Form.Value("read_all") == "yes"}
	for word := range strings.SplitSeq(v.Form.Value("pages"), ",") {
		if n, err := strconv.Atoi(word); err == nil {
			in.Pages = append(in.Pages, n)
		}
	}
	return in
}
