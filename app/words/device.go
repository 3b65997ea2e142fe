package words

import "strings"

// Device returns the browser and system of a User-Agent header, as in "Firefox 132 on Windows".
// For other programs it returns the first product.
func (l *Language) Device(agent string) string {
	browser, system := firstNamed(agent, browsers), firstNamed(agent, systems)
	switch {
	case browser == "" && system == "":
		product, _, _ := strings.Cut(agent, " ")
		return strings.Replace(product, "/", " ", 1)
	case browser == "" || system == "":
		return browser + system
	}
	return l.Say("device", "browser", browser, "system", system)
}

// browsers and systems are in search order, since many headers name other products too.
var (
	browsers = [][2]string{{"Edg/", "Edge"}, {"EdgA/", "Edge"}, {"EdgiOS/", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Vivaldi/", "Vivaldi"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chromium/", "Chromium"}, {"HeadlessChrome/", "Chrome"},
		{"Chrome/", "Chrome"}, {"Version/", "Safari"}, {"curl/", "curl"}}
	systems = [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"Macintosh", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
)

// firstNamed returns the name of the first mark that s contains.
func firstNamed(s string, marks [][2]string) string {
	for _, m := range marks {
		if _, after, ok := strings.Cut(s, m[0]); ok {
			return m[1] + version(m[0], after)
		}
	}
	return ""
}

// version returns the major version after a browser's mark, preceded by a space.
func version(mark, after string) string {
	digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
	if digits == 0 || !strings.HasSuffix(mark, "/") {
		return ""
	}
	return " " + after[:digits]
}
