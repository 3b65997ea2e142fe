package httpkit

// HungUp exposes peerClosed to the tests.
var HungUp = peerClosed
