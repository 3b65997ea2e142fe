package app

import "github.com/gofiber/fiber/v2"

// Router is the router with every route that is served.
func (a *App) Router() *fiber.App { return a.http }
