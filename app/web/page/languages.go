package page

// Languages lists the languages of mails and certificates of completion, each by
// its own name.
var Languages = []struct{ Tag, Name string }{
	{"ar", "العربية"}, {"cs", "Čeština"}, {"de", "Deutsch"}, {"en", "English"}, {"es", "Español"}, {"fr", "Français"}, {"he", "עברית"}, {"it", "Italiano"},
	{"ja", "日本語"}, {"ko", "한국어"}, {"nl", "Nederlands"}, {"pl", "Polski"}, {"pt", "Português"}, {"tr", "Türkçe"}, {"uk", "Українська"}, {"zh", "中文"},
}

// LanguageOptions offers every language, plus the chosen one if it isn't among
// them.
func LanguageOptions(chosen string) []Option {
	var out []Option
	known := chosen == ""
	for _, l := range Languages {
		known = known || l.Tag == chosen
		out = append(out, Option{l.Tag, l.Name, l.Tag == chosen})
	}
	if !known {
		out = append(out, Option{chosen, chosen, true})
	}
	return out
}

// CommonZones are suggested while a time zone is typed; any IANA zone is accepted.
var CommonZones = []string{
	"UTC", "Africa/Cairo", "Africa/Johannesburg", "Africa/Lagos", "Africa/Nairobi", "America/Anchorage", "America/Argentina/Buenos_Aires", "America/Bogota",
	"America/Chicago", "America/Denver", "America/Halifax", "America/Los_Angeles", "America/Mexico_City", "America/New_York", "America/Santiago",
	"America/Sao_Paulo", "America/Toronto", "America/Vancouver", "Asia/Bangkok", "Asia/Dubai", "Asia/Hong_Kong", "Asia/Jakarta", "Asia/Jerusalem",
	"Asia/Karachi", "Asia/Kolkata", "Asia/Manila", "Asia/Riyadh", "Asia/Seoul", "Asia/Shanghai", "Asia/Singapore", "Asia/Tehran", "Asia/Tokyo",
	"Australia/Brisbane", "Australia/Perth", "Australia/Sydney", "Europe/Amsterdam", "Europe/Athens", "Europe/Berlin", "Europe/Brussels", "Europe/Bucharest",
	"Europe/Dublin", "Europe/Helsinki", "Europe/Istanbul", "Europe/Kyiv", "Europe/Lisbon", "Europe/London", "Europe/Madrid", "Europe/Oslo", "Europe/Paris",
	"Europe/Prague", "Europe/Rome", "Europe/Stockholm", "Europe/Vienna", "Europe/Warsaw", "Europe/Zurich", "Pacific/Auckland", "Pacific/Honolulu",
}
