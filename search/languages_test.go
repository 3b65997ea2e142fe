package search_test

import (
	"slices"
	"testing"

	"paraph/search"
)

// TestLanguages makes each sample a document; the words find only that one, unless several
// samples share a script.
func TestLanguages(t *testing.T) {
	t.Parallel()
	samples := []struct {
		language, text string
		finds          []string
	}{
		{"German", "Straßenverkehrsamt Düsseldorf: Überweisung für Größe", []string{"strassen", "STRASSENVERKEHRSAMT", "straßen", "dusseldorf", "düsseldorf", "DÜSS", "uberweisung", "große"}},
		{"French", "L'accord signé à l’été, cœur de Français", []string{"accord", "l'accord", "signe", "SIGNÉ", "ete", "l'été", "coeur", "cœur", "francais"}},
		{"Spanish", "Señor Núñez, compañía española", []string{"senor", "nunez", "NÚÑEZ", "compania"}},
		{"Polish", "Umowa najmu Łódź, żółty", []string{"lodz", "ŁÓDŹ", "zolty"}},
		{"Czech", "Příliš žluťoučký kůň", []string{"prilis", "zlutoucky", "kun"}},
		{"Danish", "Ærlig aftale om køb på Åen", []string{"aerlig", "ÆRLIG", "kob", "køb", "aen"}},
		{"Icelandic", "Þórður Guðmundsson", []string{"thordur", "gudmundsson"}},
		{"Turkish", "İstanbul sözleşmesi ışık ISPARTA", []string{"istanbul", "ISTANBUL", "İSTANBUL", "sozlesmesi", "isik", "ışık", "ısparta", "isparta"}},
		{"Vietnamese", "Hợp đồng thuê nhà Nguyễn", []string{"hop dong", "hợp đồng", "HỢP ĐỒNG", "thue", "nguyen"}},
		{"Greek", "Σύμβαση εργασίας Αθήνας", []string{"συμβαση", "ΣΎΜΒΑΣΗ", "εργασιας", "ΕΡΓΑΣΊΑΣ", "αθηνας"}},
		{"Russian", "Договор аренды Ёлкин йод", []string{"договор", "ДОГОВОР", "елкин", "ёлкин", "йод"}},
		{"Arabic", "عَقْد إيجار المكتبة ٢٠٢٤", []string{"عقد", "ايجار", "إيجار", "المكتبه", "2024", "٢٠٢٤"}},
		{"Persian", "قرارداد کاری می\u200cخواهم", []string{"قرارداد", "كاري", "میخواهم"}},
		{"Hebrew", "חוֹזֶה שכירות דירה", []string{"חוזה", "שכירות", "דיר"}},
		{"Hindi", "किराया अनुबंध हिन्दी", []string{"किराया", "किरा", "अनुबंध", "हिन्दी"}},
		{"Thai", "สัญญาเช่าบ้าน", []string{"สัญญา", "เช่า", "บ้าน", "สัญญาเช่า"}},
		{"Japanese", "賃貸借契約書 ﾃｽﾄ がんばる サービス", []string{"契約", "契約書", "書", "賃", "テスト", "がん", "サービス", "ービ"}},
		{"Chinese", "租赁合同书", []string{"租赁", "合同", "同", "合同书", "租赁合同书"}},
		{"Korean", "임대차 계약서에서 대한민국", []string{"임대차", "계약", "약서", "민국", "국"}},
		{"wide and ligated", "Ｆｕｌｌｗｉｄｔｈ ﬁnance ①", []string{"fullwidth", "finance", "1"}},
		{"symbols", "Party 🎉 fee €", []string{"🎉", "party 🎉"}},
		{"joined", "Ann＠ＥＸＡＭＰＬＥ.com soft\u00adhyphen", []string{"ann@example", "softhyphen"}},
	}
	x := open(t, "")
	var b search.Batch
	for _, s := range samples {
		b.Put = append(b.Put, search.Document{ID: s.language, Scope: "s", Body: s.text})
	}
	apply(t, x, b)
	for _, s := range samples {
		for _, text := range s.finds {
			if !slices.Contains(find(t, x, text), s.language) {
				t.Errorf("%s: %q does not find it", s.language, text)
			}
		}
		if !slices.Contains(find(t, x, s.text), s.language) {
			t.Errorf("%s: the whole text does not find it", s.language)
		}
	}
	// Marks that change the word are kept.
	for _, text := range []string{"ハン", "किराये", "合约", "は", "ば"} {
		if got := find(t, x, text); slices.Contains(got, "Hindi") || slices.Contains(got, "Chinese") {
			t.Errorf("%q finds %v", text, got)
		}
	}
	if got := find(t, x, "か"); len(got) > 0 {
		t.Errorf("か finds が: %v", got)
	}
}
