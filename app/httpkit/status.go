package httpkit

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
)

var statuses = map[fault.Kind]int{
	fault.KindMalformed:          http.StatusBadRequest,
	fault.KindUnauthenticated:    http.StatusUnauthorized,
	fault.KindForbidden:          http.StatusForbidden,
	fault.KindNotFound:           http.StatusNotFound,
	fault.KindConflict:           http.StatusConflict,
	fault.KindPreconditionFailed: http.StatusPreconditionFailed,
	fault.KindTooLarge:           http.StatusRequestEntityTooLarge,
	fault.KindUnsupported:        http.StatusUnsupportedMediaType,
	fault.KindInvalid:            http.StatusUnprocessableEntity,
	fault.KindThrottled:          http.StatusTooManyRequests,
	fault.KindUnavailable:        http.StatusServiceUnavailable,
	fault.KindNoSpace:            http.StatusInsufficientStorage,
}

// Status returns the HTTP status of an error, 0 for an internal error.
func Status(k fault.Kind) int { return statuses[k] }

// Unknown handles a request that no route matches: 405 with Allow if the path supports
// other methods, or else 404.
func Unknown(c *fiber.Ctx) error {
	allowed := methods(c)
	if OnlySignatories(c) || len(allowed) == 0 || slices.Contains(allowed, c.Method()) {
		return fault.NotFound("page")
	}
	c.Set(fiber.HeaderAllow, strings.Join(allowed, ", "))
	return fiber.ErrMethodNotAllowed
}

// methods returns the methods that the path of a request supports.
func methods(c *fiber.Ctx) []string {
	var out []string
	for _, r := range c.App().GetRoutes(true) {
		if !slices.Contains(out, r.Method) && fiber.RoutePatternMatch(c.Path(), r.Path) {
			out = append(out, r.Method)
		}
	}
	slices.Sort(out)
	return out
}

// RetryAfter returns the seconds to wait after a 429 or a 503, 0 for any other error.
func RetryAfter(e *fault.Error) int {
	if e.Kind != fault.KindThrottled && e.Kind != fault.KindUnavailable {
		return 0
	}
	return max(1, int(math.Ceil(e.RetryAfter.Seconds())))
}

// SetRetryAfter sets the Retry-After header unless seconds is 0.
func SetRetryAfter(c *fiber.Ctx, seconds int) {
	if seconds > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(seconds))
	}
}
