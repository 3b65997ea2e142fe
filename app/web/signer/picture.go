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

// Widths of page pictures that are served, in pixels: few, so that they are kept.
var widths = []int{160, 640, 1240, 2000}

// UsualWidth is that of a picture which nobody asked to be another.
const UsualWidth = 1240

// SendPicture answers with one page of a file as it stands. The route names the
// file and the page, the query may name one of the widths.
func SendPicture(r *page.Request, service *signing.Service, who account.Actor, document string) error {
	n, err := strconv.Atoi(r.Params("page"))
	if err != nil {
		return fault.NotFound("page")
	}
	width, err := strconv.Atoi(r.Query("w"))
	if err != nil || !slices.Contains(widths, width) {
		width = UsualWidth
	}
	png, tag, err := service.PagePicture(r.UserContext(), who, document, r.Params("file"), n, width)
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
