package signer

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// widths are the widths of page pictures in pixels: few, so that pictures can be cached.
var widths = []int{160, 640, 800, 1240, 2000}

// DefaultWidth is the default width.
const DefaultWidth = 1240

// SendPicture responds with a picture of one page in its current state. The route
// names the file and the page; the query may name a width.
func SendPicture(r *page.Request, pages *signing.Completion, who account.Call, document string) error {
	n, err := strconv.Atoi(r.Params("page"))
	if err != nil {
		return fault.NotFound("page")
	}
	width, err := strconv.Atoi(r.Query("w"))
	if err != nil || !slices.Contains(widths, width) {
		width = DefaultWidth
	}
	png, tag, err := pages.PagePicture(r.UserContext(), who, document, r.Params("file"), n, width)
	if err != nil {
		return err
	}
	tag = `"` + tag + `"`
	r.Set(fiber.HeaderETag, tag)
	r.Set(fiber.HeaderCacheControl, "private, max-age=600")
	if httpkit.MatchesETag(r.Get(fiber.HeaderIfNoneMatch), tag) {
		return r.SendStatus(http.StatusNotModified)
	}
	r.Set(fiber.HeaderContentType, "image/png")
	return r.Send(png)
}
