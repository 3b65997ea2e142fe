package api

import (
	"net/http"

	"paraph/app/account"
	"paraph/app/checkpoint"
	"paraph/app/signing"
)

type checkpointView struct {
	Events     int64  `json:"events" doc:"How many of the company's events it covers, from the first"`
	Root       string `json:"root" doc:"Root of their Merkle tree, base64"`
	Checkpoint string `json:"checkpoint" doc:"The signed note"`
	Key        string `json:"key" doc:"Verifies the signature"`
	CreatedAt  string `json:"created_at" format:"date-time"`
}

func viewCheckpoint(c checkpoint.Signed) checkpointView {
	return checkpointView{c.Size, c.Root, c.Checkpoint.Signed, c.Key, when(c.At)}
}

type inclusionView struct {
	EventID    string   `json:"event_id"`
	EventHash  string   `json:"event_hash" doc:"Hexadecimal, as in the audit trail"`
	Index      int64    `json:"index" doc:"Of the event among all of the company, from 0"`
	Hashes     []string `json:"hashes" doc:"Audit path of RFC 9162, base64"`
	Checkpoint string   `json:"checkpoint" doc:"The signed note that covers the event"`
	Key        string   `json:"key" doc:"Verifies the signature of the checkpoint"`
	Rule       string   `json:"rule" doc:"How to check the proof"`
}

func viewInclusion(p signing.Proven) inclusionView {
	return inclusionView{p.Event, p.EventHash, p.Index, p.Hashes, p.Checkpoint, p.Key, p.Rule}
}

// checkpointHandlers serves checkpoints of the journal.
type checkpointHandlers struct {
	checkpoints *checkpoint.Service
	completion  *signing.Completion
}

func (h *checkpointHandlers) routes(s *server) {
	handle(s, operation{method: http.MethodGet, path: "/checkpoints", rule: may(account.ScopeRead), id: "listCheckpoints", summary: "List the checkpoints of the company's history", tag: "Checkpoints", query: pageParameters, list: true}, h.listCheckpoints)
	handle(s, operation{method: http.MethodGet, path: "/documents/{document}/proof", rule: may(account.ScopeRead), id: "proveDocumentHistory", summary: "Prove that a document's history is under a checkpoint", tag: "Checkpoints"}, h.getInclusion)
}

func (h *checkpointHandlers) listCheckpoints(r *request, _ *nothing) (envelope[checkpointView], error) {
	p := r.query.page()
	if err := r.query.faults.Err(); err != nil {
		return envelope[checkpointView]{}, err
	}
	got, err := h.checkpoints.List(r.who, p.offset(), p.size)
	if err != nil {
		return envelope[checkpointView]{}, err
	}
	return enclose(r, p, views(got.Items, viewCheckpoint), got.Total), nil
}

func (h *checkpointHandlers) getInclusion(r *request, _ *nothing) (inclusionView, error) {
	id, err := r.document()
	if err != nil {
		return inclusionView{}, err
	}
	p, err := h.completion.Proof(r.who, id)
	return viewInclusion(p), err
}
