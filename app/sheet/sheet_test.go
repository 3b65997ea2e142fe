package sheet_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"paraph/app/fault"
	"paraph/app/sheet"
)

var roomy = sheet.Limits{Bytes: 1 << 20, Rows: 100}

func TestEveryFormOfASpreadsheetIsRecognisedAndComesBack(t *testing.T) {
	t.Parallel()
	little, big := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder(), unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder()
	bare := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder()
	const content = "name,city\nZoë,\"Köln, Süd\"\n\n ,\nAnn,Bonn\n"
	encoded := func(s string, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, tt := range map[string]struct {
		file string
		form sheet.Form
	}{
		"UTF-8":                  {content, sheet.Form{Encoding: sheet.UTF8, Separator: ","}},
		"UTF-8 with its mark":    {"\ufeff" + content, sheet.Form{Encoding: sheet.UTF8Mark, Separator: ","}},
		"UTF-16 little":          {encoded(little.String(content)), sheet.Form{Encoding: sheet.UTF16LE, Separator: ","}},
		"UTF-16 big":             {encoded(big.String(content)), sheet.Form{Encoding: sheet.UTF16BE, Separator: ","}},
		"UTF-16 without mark":    {encoded(bare.String(content)), sheet.Form{Encoding: sheet.UTF16LE, Separator: ","}},
		"Windows-1252":           {encoded(charmap.Windows1252.NewEncoder().String(content)), sheet.Form{Encoding: sheet.Windows1252, Separator: ","}},
		"semicolons":             {"name;city\nZoë;Köln, Süd\nAnn;Bonn\n", sheet.Form{Encoding: sheet.UTF8, Separator: ";"}},
		"tabs":                   {"name\tcity\nZoë\tKöln, Süd\nAnn\tBonn\n", sheet.Form{Encoding: sheet.UTF8, Separator: "\t"}},
		"tabs in UTF-16":         {encoded(little.String("name\tcity\r\nZoë\tKöln, Süd\r\nAnn\tBonn\r\n")), sheet.Form{Encoding: sheet.UTF16LE, Separator: "\t"}},
		"ends of lines of a Mac": {"name,city\rZoë,\"Köln, Süd\"\rAnn,Bonn\r", sheet.Form{Encoding: sheet.UTF8, Separator: ","}},
		"a line that says sep":   {"sep=;\r\nname;city\r\nZoë;\"Köln, Süd\"\r\nAnn;Bonn\r\n", sheet.Form{Encoding: sheet.UTF8, Separator: ";"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := sheet.Read(strings.NewReader(tt.file), roomy)
			if err != nil {
				t.Fatal(err)
			}
			if got.Form != tt.form || !reflect.DeepEqual(got.Headings, []string{"name", "city"}) || len(got.Rows) != 2 ||
				!reflect.DeepEqual(got.Rows[0].Cells, []string{"Zoë", "Köln, Süd"}) {
				t.Errorf("got %+v", got)
			}
			var out bytes.Buffer
			w := sheet.NewWriter(&out, got.Form)
			for _, r := range append([]sheet.Row{{Cells: got.Headings}}, got.Rows...) {
				if err := w.Write(r.Cells...); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			back, err := sheet.Read(&out, roomy)
			if err != nil || back.Form != got.Form || !reflect.DeepEqual(back.Rows[1].Cells, got.Rows[1].Cells) || back.Headings[0] != "name" {
				t.Errorf("came back as %+v, %v", back, err)
			}
		})
	}
}

func TestRowsKnowTheirLines(t *testing.T) {
	t.Parallel()
	got, err := sheet.Read(strings.NewReader("sep=,\nname,note\n\nAnn,\"two\nlines\"\nBen,\n"), roomy)
	if err != nil || len(got.Rows) != 2 || got.Rows[0].Line != 4 || got.Rows[1].Line != 6 {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, file := range map[string]string{"empty": "", "blank": "\n , \n"} {
		if _, err := sheet.Read(strings.NewReader(file), roomy); err == nil {
			t.Errorf("a file that is %s is accepted", name)
		}
	}
	if _, err := sheet.Read(strings.NewReader("a\n1\n2\n3\n"), sheet.Limits{Bytes: 100, Rows: 2}); !errors.Is(err, sheet.ErrTooManyRows) {
		t.Errorf("got %v", err)
	}
}

// TestFilesWithManyCellsAreRefused reads small files that would take far more memory as cells.
func TestFilesWithManyCellsAreRefused(t *testing.T) {
	t.Parallel()
	limits := sheet.Limits{Bytes: 8_000_000, Rows: 20_000}
	for name, tt := range map[string]struct {
		file string
		want fault.Kind
	}{
		"millions of cells":   {"a,b\n" + strings.Repeat(strings.Repeat(",", 390)+"\n", 20_000), fault.KindTooLarge},
		"one row of commas":   {"a,b\n" + strings.Repeat(",", 7_900_000), fault.KindTooLarge},
		"many columns":        {strings.Repeat("a;", 3_000), fault.KindInvalid},
		"an endless quote":    {"a\n\"" + strings.Repeat("x", 7_000_000), fault.KindInternal},
		"quotes in quotes":    {"a\n" + strings.Repeat("\"", 7_000_001), fault.KindInternal},
		"a cell of new lines": {"a\n\"" + strings.Repeat("\n", 7_000_000) + "\"", fault.KindInternal},
	} {
		got, err := sheet.Read(strings.NewReader(tt.file), limits)
		if (err != nil) != (tt.want != fault.KindInternal) || err != nil && fault.KindOf(err) != tt.want || len(got.Rows) > 1 {
			t.Errorf("%s: %d rows, %v, want kind %v", name, len(got.Rows), err, tt.want)
		}
	}
}

func TestFormulasAreGuardedAndComeBack(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{"=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)", "+31 20 123": "+31 20 123", "-5": "-5", "-x": "'-x", "plain": "plain", "": ""} {
		if got := sheet.Guarded(cell); got != want || sheet.Unguarded(got) != cell {
			t.Errorf("%q is guarded as %q", cell, got)
		}
	}
}
