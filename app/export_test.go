package app

import "github.com/gofiber/fiber/v2"

// Router returns the router with every route.
func (a *App) Router() *fiber.App { return a.http }
