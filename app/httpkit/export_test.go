package httpkit

// HungUp exposes hungUp to the tests.
var HungUp = hungUp
