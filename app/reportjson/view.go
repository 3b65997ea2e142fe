// Package reportjson is the JSON form of a report on the signatures of a PDF. The API, the command and the page
// share it, so that programs can read either.
package reportjson

// View is a report, with its sentences in the language of the reader.
type View struct {
	Sound        bool        `json:"sound" doc:"There is a signature, every one is intact, none is by a revoked certificate, and nothing forbidden was changed. A root that is not trusted here does not count"`
	SHA256       string      `json:"sha256" doc:"Of the file, in hexadecimal"`
	Pages        int         `json:"pages"`
	Integrity    string      `json:"integrity" enum:"intact,broken,not_judged" doc:"The worst answer of all signatures"`
	Identity     string      `json:"identity" enum:"trusted,no_revocation_data,unknown_root,expired,untrusted,revoked,not_judged" doc:"The worst answer of all signatures"`
	LaterChanges string      `json:"later_changes" enum:"none,permitted,not_permitted,not_judged" doc:"The worst answer of all signatures"`
	Findings     []Said      `json:"findings" doc:"What is unusual about the file as a whole"`
	SignedHere   *OriginView `json:"signed_here" doc:"The document of this installation that the file is, or begins with; null where there is none"`
	Signatures   []Signature `json:"signatures"`
}

// OriginView names a document that was completed here.
type OriginView struct {
	Document    string `json:"document" doc:"Its identifier"`
	CompletedAt string `json:"completed_at" format:"date-time"`
	Whole       bool   `json:"whole" doc:"The file is the completed one, byte for byte; otherwise something was appended"`
}

// Signature is the verdict on one signature.
type Signature struct {
	Field        string    `json:"field"`
	Kind         string    `json:"kind" enum:"signature,certification,timestamp"`
	Signer       string    `json:"signer"`
	Email        *string   `json:"email"`
	Issuer       string    `json:"issuer"`
	Root         *string   `json:"root"`
	Reason       *string   `json:"reason"`
	ClaimedAt    *string   `json:"claimed_at" format:"date-time"`
	TimestampAt  *string   `json:"timestamp_at" format:"date-time"`
	Authority    *string   `json:"timestamp_authority"`
	Revision     int       `json:"revision"`
	CoversAll    bool      `json:"covers_whole_file"`
	Integrity    Integrity `json:"integrity" doc:"Is what was signed what the file holds?"`
	Identity     Identity  `json:"identity" doc:"Can the signer's certificate be believed?"`
	LaterChanges Later     `json:"later_changes" doc:"What was changed in the file after this signature?"`
	Intact       bool      `json:"intact" doc:"Integrity is intact, and no later change is forbidden"`
	Trusted      bool      `json:"trusted" doc:"Intact, and the chain leads to a trusted root and was not revoked"`
	Revocation   string    `json:"revocation" enum:"good,short-term,unknown,revoked"`
	Algorithm    string    `json:"algorithm"`
	Level        *string   `json:"level" enum:"B-B,B-T,B-LT,B-LTA" doc:"As in ETSI EN 319 142-1; null for a document timestamp and for what is not PAdES"`
	Changes      []Change  `json:"changes" doc:"All later changes, permitted or not"`
	Problems     []string  `json:"problems" doc:"Everything wrong or unusual, in sentences"`
	Notes        []string  `json:"notes" doc:"Algorithms and keys that no longer resist forgery, in sentences"`
	Findings     []Said    `json:"findings" doc:"The problems and notes, with codes for programs"`
}

// Integrity is the first answer.
type Integrity struct {
	Result  string `json:"result" enum:"intact,broken,not_judged"`
	Reasons []Said `json:"reasons"`
}

// Identity is the second answer.
type Identity struct {
	Result  string `json:"result" enum:"trusted,no_revocation_data,unknown_root,expired,untrusted,revoked,not_judged"`
	Reasons []Said `json:"reasons"`
}

// Later is the third answer.
type Later struct {
	Result       string   `json:"result" enum:"none,permitted,not_permitted,not_judged"`
	Permitted    []Change `json:"permitted"`
	NotPermitted []Change `json:"not_permitted"`
}

// Said is a finding with its sentence.
type Said struct {
	Code    string            `json:"code"`
	Args    map[string]string `json:"args"`
	Message string            `json:"message"`
}

// Change is a later change with its sentence.
type Change struct {
	Revision  int     `json:"revision"`
	What      string  `json:"what" doc:"The kind and the place in English words"`
	Kind      string  `json:"kind"`
	Page      *int    `json:"page"`
	Field     *string `json:"field"`
	Object    *int    `json:"object" doc:"Number of the object in the file; null where several are concerned"`
	Rule      string  `json:"rule" doc:"The rule that permits or forbids the change"`
	Permitted bool    `json:"permitted"`
	Message   string  `json:"message"`
}
