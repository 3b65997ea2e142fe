// Package signing is the heart of the service: documents with their files,
// signatories and fields, the states they go through, and the evidence of it.
//
// Every change of a document is one transaction that also appends to the
// journal, so nothing changes without a trace and no trace exists of what did
// not happen. Slow work (hashing, drawing, signing) is done before the
// transaction; the transaction checks that the document is still the one that
// work was done for.
package signing
