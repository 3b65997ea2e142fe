//go:build !linux

package httpkit

import "net"

// peerClosed returns false: on this system only reading from a connection would tell
// whether the peer has closed it.
func peerClosed(net.Conn) bool { return false }
