package linebreak_test

import (
	"strings"
	"testing"

	"paraph/app/linebreak"
)

// TestPartsAreWords divides sentences of languages with and without spaces between words.
func TestPartsAreWords(t *testing.T) {
	t.Parallel()
	for _, want := range []string{
		"one |two-|three",
		"ผู้|เช่า|ต้อง|ชำระ|ค่า|เช่า|ภายใน|วัน|ที่|ห้า|ของ|ทุก|เดือน|และ|ต้อง|ดูแล|รักษา|ห้อง|พัก|ให้|อยู่|ใน|สภาพ|ดี",
		"สัญญา|ฉบับ|นี้|ทำ|ขึ้น|เป็น|สอง|ฉบับ |มี|ข้อความ|ถูก|ต้อง|ตรง|กัน",
		"นาย|สมชาย |ใจดี |อยู่|บ้าน|เลข|ที่ |12/3 |ถนน|สุขุมวิท |(กรุงเทพมหานคร)",
		"เด็กๆ|ของ|คน|อื่นๆ|ที่|อยู่|ใน|เมือง",
		"ราคา๑๒๐ |บาท",
		"ຜູ້|ເຊົ່າ|ຕ້ອງ|ຈ່າຍ|ຄ່າເຊົ່າ|ທຸກໆ|ເດືອນ",
		"ສັນຍາ|ສະບັບ|ນີ້|ໄດ້|ເຮັດ|ຂຶ້ນ|ເປັນ|ສອງ|ສະບັບ",
		"អ្នកជួល|ត្រូវ|បង់ថ្លៃ|ជួល|រៀងរាល់|ខែ។",
		"កិច្ចសន្យា|នេះ|ធ្វើឡើង|ជា|ពីរ|ច្បាប់",
		"အ|ငှား|ချထား|သူ|သည်|လ|စဉ်|အိမ်|ငှား|ခ|ပေး|ရ|မည်။",
		"ဤ|စာချုပ်|ကို|နှစ်|စောင်|ပြုလုပ်သည်။",
		"ฌฌฌฌฌฌ", // no words
	} {
		text := []rune(strings.ReplaceAll(want, "|", ""))
		var got []string
		for _, p := range new(linebreak.Finder).Parts(text) {
			got = append(got, string(text[p.Start:p.End]))
		}
		if got := strings.Join(got, "|"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestSyllablesStayWhole divides words that are too wide for a line.
func TestSyllablesStayWhole(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"a|b", "e\u0301|e\u0301", "เช่|า", "กำ|ไร", "ເດື|ອ|ນ", "ក្រ|សួ|ង", "က္ကက်|က", "မြန်|မာ"} {
		text := []rune(strings.ReplaceAll(want, "|", ""))
		var got strings.Builder
		for i, ok := range linebreak.Within(text) {
			if ok && i > 0 && i < len(text) {
				got.WriteString("|")
			}
			if i < len(text) {
				got.WriteRune(text[i])
			}
		}
		if got.String() != want {
			t.Errorf("got %s, want %s", got.String(), want)
		}
	}
}
