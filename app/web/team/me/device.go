package me

import (
	"strings"

	"paraph/app/web/page"
)

// browsers and systems are found in user agents, more specific ones first: nearly
// all claim to be Safari too.
var (
	browsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS", "Firefox"},
		{"CriOS", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}, {"Go-http-client", "Go"}, {"python", "Python"}}
	systems = [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"},
		{"Macintosh", "Mac"}, {"Linux", "Linux"}}
)

// device describes the browser and system of a user agent.
func device(r *page.Request, agent string) string {
	browser, system := known(browsers, agent), known(systems, agent)
	switch {
	case browser != "" && system != "":
		return r.Say("device.both", "browser", browser, "system", system)
	case browser+system != "":
		return browser + system
	}
	return r.Say("device.unknown")
}

func known(names [][2]string, agent string) string {
	for _, n := range names {
		if strings.Contains(agent, n[0]) {
			return n[1]
		}
	}
	return ""
}
