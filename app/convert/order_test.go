package convert_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"paraph/app/convert"
	"paraph/app/pdf/page"
	"paraph/app/pdf/text"
)

// contract is a document in a language, with the usual elements of contracts.
type contract struct {
	language, direction, title, heading string
	clauses                             []string
	cells                               [2][2]string
}

var contracts = []contract{
	{"de", "ltr", "Dienstleistungsvertrag", "Bestimmung", []string{
		"Der Auftragnehmer verpflichtet sich, die vereinbarten Leistungen sorgfältig und fristgerecht zu erbringen.",
		"Die Vergütung beträgt 4.500,00 EUR und ist binnen 14 Tagen fällig (§ 5).",
	}, [2][2]string{{"Leistung", "Preis"}, {"Beratung", "1.200,00"}}},
	{"ru", "ltr", "Договор оказания услуг", "Предмет", []string{
		"Исполнитель обязуется оказать услуги надлежащим образом, а Заказчик обязуется оплатить их.",
	}, [2][2]string{{"Услуга", "Срок"}, {"Консультация", "десять дней"}}},
	{"el", "ltr", "Σύμβαση παροχής υπηρεσιών", "Άρθρο", []string{
		"Ο ανάδοχος υποχρεούται να παρέχει τις υπηρεσίες εμπρόθεσμα και με επιμέλεια.",
	}, [2][2]string{{"Υπηρεσία", "Τιμή"}, {"Συμβουλή", "500"}}},
	{"zh", "ltr", "服务合同", "条款", []string{"乙方应当按照本合同约定的内容、质量和期限，为甲方提供技术服务，并保证其符合国家有关标准。"},
		[2][2]string{{"项目", "价格"}, {"咨询", "10000"}}},
	{"he", "rtl", "חוזה שירותים", "סעיף", []string{"הספק מתחייב לספק את השירותים בתוך 14 ימים מיום חתימת ההסכם."},
		[2][2]string{{"שירות", "מחיר"}, {"ייעוץ", "250"}}},
}

func (c contract) html() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="` + c.language + `" dir="` + c.direction + `"><head><meta charset="utf-8"></head><body><h1>` + c.title + `</h1>`)
	for _, s := range c.clauses {
		b.WriteString("<h2>" + c.heading + `</h2><p style="text-align:justify">` + strings.Repeat(s+" ", 4) + "</p><ol><li>" + s + "<ol type=a><li><b>" + c.heading + "</b></li></ol></li></ol>")
	}
	b.WriteString(`<table border="1">`)
	for _, row := range c.cells {
		b.WriteString("<tr><td>" + row[0] + "</td><td>" + row[1] + "</td></tr>")
	}
	b.WriteString("</table></body></html>")
	return b.String()
}

// makeDOCX makes LibreOffice write the contracts as DOCX.
func makeDOCX(t *testing.T) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	args := []string{"-env:UserInstallation=file://" + dir + "/profile", "--headless", "--infilter=HTML (StarWriter)", "--convert-to", "docx:MS Word 2007 XML", "--outdir", dir}
	for _, c := range contracts {
		name := filepath.Join(dir, c.language+".html")
		if err := os.WriteFile(name, []byte(c.html()), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	if said, err := exec.Command(office(t).Path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	out := map[string][]byte{}
	for _, c := range contracts {
		b, err := os.ReadFile(filepath.Join(dir, c.language+".docx"))
		if err != nil {
			t.Fatal(err)
		}
		out[c.language] = b
	}
	return out
}

// builtIn renders with the built-in renderer onto the PDF builder.
func builtIn(tb testing.TB, in []byte) []byte {
	tb.Helper()
	b := page.New(text.New(), page.Info{})
	_, err := convert.RenderDOCX(tb.Context(), bytes.NewReader(in), int64(len(in)), "", b)
	var out bytes.Buffer
	_, err2 := b.Write(&out)
	if err := errors.Join(err, err2); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// rawText returns the text in drawing order.
func rawText(tb testing.TB, pdf []byte) string {
	tb.Helper()
	cmd := exec.Command("pdftotext", "-raw", "-", "-")
	cmd.Stdin = bytes.NewReader(pdf)
	out, err := cmd.Output()
	if err != nil {
		tb.Fatal(err)
	}
	return string(out)
}

func TestTextIsInTheOrderOfLibreOffice(t *testing.T) {
	t.Parallel()
	files := makeDOCX(t)
	o := office(t)
	for _, c := range contracts {
		t.Run(c.language, func(t *testing.T) {
			t.Parallel()
			in := files[c.language]
			var theirs bytes.Buffer
			if _, err := o.Convert(t.Context(), bytes.NewReader(in), "", &theirs); err != nil {
				t.Fatal(err)
			}
			got, want := rawText(t, builtIn(t, in)), rawText(t, theirs.Bytes())
			if c.direction == "rtl" || c.language == "zh" {
				got, want = letters(got), letters(want)
			}
			if a, b := strings.Fields(got), strings.Fields(want); !slices.Equal(a, b) {
				t.Errorf("the built-in renderer reads\n%q, LibreOffice\n%q", a, b)
			}
		})
	}
}

// letters returns the text's letters and digits in a fixed order: tools differ
// in the order in which they extract right-to-left lines.
func letters(s string) string {
	rs := []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s))
	slices.Sort(rs)
	return string(rs)
}
