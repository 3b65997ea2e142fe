package public

import (
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/httpkit"
	"paraph/app/web/page"
)

// Logo serves a company's logo without authentication, for signatories' pages and mail.
func (h *Handlers) Logo(r *page.Request) error {
	logo, err := h.Accounts.Companies.LogoOf(r.Params("company"))
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, "image/png")
	r.Set(fiber.HeaderETag, `"`+logo.Hash[:32]+`"`)
	r.Set("Cross-Origin-Resource-Policy", "cross-origin")
	r.Set(fiber.HeaderCacheControl, "public, no-cache")
	if version := r.Query("v"); version != "" && strings.HasPrefix(logo.Hash, version) {
		r.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	}
	if httpkit.MatchesETag(r.Get(fiber.HeaderIfNoneMatch), `"`+logo.Hash[:32]+`"`) {
		return r.SendStatus(http.StatusNotModified)
	}
	return r.Send(logo.PNG)
}
