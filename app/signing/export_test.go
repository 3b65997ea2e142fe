package signing

import "paraph/app/turns"

// Verifying is the queue in which files wait to be examined.
func (s *Service) Verifying() *turns.Queue { return s.verifying }
