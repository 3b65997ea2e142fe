package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"paraph/app/checkpoint"
	"paraph/app/pdf/document"
	"paraph/app/signing/completion"
	"paraph/app/tree"
	"paraph/kv"
)

// Results of comparing a file with a checkpoint.
const (
	proven   = "proven"
	refuted  = "refuted"  // the history is not that of the checkpoint
	unproven = "unproven" // something is missing
)

// history is the verdict on a file by a checkpoint.
type history struct {
	Result  string `json:"result"`
	Message string `json:"message"`
}

// ok reports whether the history is proven, or nobody asked for it.
func (h *history) ok() bool { return h == nil || h.Result == proven }

// historian proves files by a published checkpoint.
type historian struct {
	checkpoint.Published
	head  tree.Head
	key   string            // that has to have signed it; "": the one in the certificate, or its successor
	files map[string]string // SHA-256 of the files that are proven by a certificate, and its path
}

// hashedEvent holds the parts of an event that its hash covers.
type hashedEvent struct {
	ID           string    `json:"id"`
	Seq          uint64    `json:"seq"`
	At           time.Time `json:"at"`
	Scope        string    `json:"scope"`
	Chain        string    `json:"chain"`
	PreviousHash string    `json:"previous_hash"`
	JournalHash  string    `json:"journal_previous_hash"`
	Raw          string    `json:"raw"`
}

// evidence holds the parts that are read of the evidence inside a certificate of completion.
type evidence struct {
	Files []struct {
		Revisions []struct {
			SHA256 string `json:"sha256"`
		} `json:"revisions"`
	} `json:"files"`
	Events []hashedEvent `json:"events"`
	Proof  *tree.Proof   `json:"checkpoint_proof"`
}

// historian prepares the comparison; nil if none is asked for.
func (o VerifyOptions) historian() (*historian, error) {
	if o.Checkpoint == "" {
		return nil, nil
	}
	published, err := readPublished([]string{o.Checkpoint})
	if err != nil {
		return nil, err
	}
	if len(published) > 1 {
		return nil, fmt.Errorf("%s holds %d checkpoints; save the one to compare with in a file of its own", o.Checkpoint, len(published))
	}
	h := &historian{Published: published[0], key: strings.TrimSpace(o.Key), files: map[string]string{}}
	h.head, err = tree.Read(h.Signed)
	return h, err
}

// learnAll notes the files that the certificates among the paths attest.
func (h *historian) learnAll(paths []string, password string) error {
	if h == nil {
		return nil
	}
	for _, path := range paths {
		if err := h.learn(path, password); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// learn notes the files that a certificate of completion attests, if path is one and
// the checkpoint proves it.
func (h *historian) learn(path, password string) error {
	e, err := evidenceIn(path, password)
	if err != nil || e == nil {
		return err
	}
	if past := h.judge(e); !past.ok() {
		return nil
	}
	for _, f := range e.Files {
		if n := len(f.Revisions); n > 0 {
			h.files[f.Revisions[n-1].SHA256] = path
		}
	}
	return nil
}

// of judges one file; nil if there is no checkpoint to judge by.
func (h *historian) of(path, password string) (*history, error) {
	if h == nil {
		return nil, nil
	}
	past, err := h.judgeFile(path, password)
	return &past, err
}

func (h *historian) judgeFile(path, password string) (history, error) {
	e, err := evidenceIn(path, password)
	if err != nil {
		return history{}, err
	}
	if e != nil {
		return h.judge(e), nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return history{}, err
	}
	sum := sha256.Sum256(b)
	name := hex.EncodeToString(sum[:])
	if by := h.files[name]; by != "" {
		return history{proven, fmt.Sprintf("its hash is in the certificate of completion %s, whose last event is under the checkpoint at event %d from %s", by, h.head.Size, h.at())}, nil
	}
	return history{unproven, "it holds no history itself: name its certificate of completion as well"}, nil
}

func (h *historian) at() string { return h.head.At.UTC().Format(time.RFC3339) }

// evidenceIn returns the evidence inside a certificate of completion, nil for other
// files.
func evidenceIn(path, password string) (e *evidence, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	doc, err := document.OpenSecret(context.Background(), f, info.Size(), password)
	if err != nil {
		return nil, err
	}
	b, found, err := doc.Attachment(completion.EvidenceName)
	if err != nil || !found {
		return nil, err
	}
	e = &evidence{}
	if err := json.Unmarshal(b, e); err != nil {
		return nil, fmt.Errorf("%s in it: %w", completion.EvidenceName, err)
	}
	return e, nil
}

// judge proves the last event of a certificate of completion.
func (h *historian) judge(e *evidence) history {
	if e.Proof == nil || len(e.Events) == 0 {
		return history{unproven, "its certificate of completion is older than checkpoints"}
	}
	hash, err := hashOf(e.Events[len(e.Events)-1])
	if err != nil || hex.EncodeToString(hash[:]) != e.Proof.EventHash {
		return history{refuted, "the proof in it is not that of its last event"}
	}
	inside, err := e.Proof.Check()
	if err != nil {
		return history{refuted, err.Error()}
	}
	if said := h.signedFor(inside.Company, e.Proof.Key); said != nil {
		return *said
	}
	return h.compare(*e.Proof, inside)
}

// signedFor returns a verdict if the checkpoint is not one of the company, signed by
// the key given, or by the certificate's key or a successor; else nil.
func (h *historian) signedFor(company, key string) *history {
	if h.head.Company != company {
		return &history{unproven, "the checkpoint is that of another company"}
	}
	var trusted []note.Verifier
	var err error
	if h.key != "" {
		var v note.Verifier
		v, err = note.NewVerifier(h.key)
		trusted = []note.Verifier{v}
	} else {
		_, handovers, failed := h.Folder.Keys()
		if h.Folder == "" || failed != nil {
			handovers = nil
		}
		trusted, err = tree.Trusted(company, key, handovers)
	}
	if err != nil {
		return &history{unproven, err.Error()}
	}
	if _, err := tree.Open(h.Signed, trusted...); err != nil {
		return &history{unproven, "the checkpoint is not signed by the key that the certificate names; if its key is another one that you trust, give it with --key"}
	}
	return nil
}

// compare proves an event under the published checkpoint.
func (h *historian) compare(p tree.Proof, inside tree.Head) history {
	event := fmt.Sprintf("event %d", p.Index+1)
	good := history{proven, fmt.Sprintf("%s is under the checkpoint at event %d from %s", event, h.head.Size, h.at())}
	changed := history{refuted, fmt.Sprintf("%s is NOT under the checkpoint at event %d from %s: the history was changed", event, h.head.Size, h.at())}
	switch {
	case h.head.Same(inside):
		return good
	case h.head.Size == inside.Size:
		return changed
	case h.head.Size <= p.Index:
		return history{unproven, fmt.Sprintf("the checkpoint at event %d is older than %s: take a later one", h.head.Size, event)}
	}
	if h.Folder == "" {
		return history{unproven, fmt.Sprintf("the checkpoint inside is at event %d, the published one at %d: name it in its published folder, where the hashes are", inside.Size, h.head.Size)}
	}
	return h.byHashes(p, inside, good, changed)
}

// byHashes proves an event by the hashes published beside the checkpoint.
func (h *historian) byHashes(p tree.Proof, inside tree.Head, good, changed history) history {
	r := h.Folder.Reader(h.head)
	got, err := r.ReadHashes([]int64{tlog.StoredHashIndex(0, p.Index)})
	if err != nil {
		return history{unproven, err.Error()}
	}
	event, err := hex.DecodeString(p.EventHash)
	if err != nil || len(got) != 1 || got[0] != tlog.RecordHash(event) {
		return changed
	}
	if inside.Size < h.head.Size && tree.Consistent(inside, h.head, r) != nil {
		return changed
	}
	return good
}

// hashOf computes the hash of an event as the journal does.
func hashOf(x hashedEvent) (hash [32]byte, err error) {
	e := kv.Entry[struct{}]{Seq: x.Seq, ID: x.ID, Scope: x.Scope, Chain: x.Chain, At: x.At, Raw: []byte(x.Raw)}
	if e.Previous, err = tree.ParseHex(x.JournalHash); err != nil {
		return hash, err
	}
	if e.ChainPrevious, err = tree.ParseHex(x.PreviousHash); err != nil {
		return hash, err
	}
	return kv.HashEntry(e), nil
}
