package watch

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
)

// maxEnvelopeBytes limits the size of an envelope that is read.
const maxEnvelopeBytes = 128 << 10

// envelope holds a message or an answer. Proof shows that the sender knows the token of the run. The token itself is
// never sent, since another program may listen at the address.
type envelope struct {
	Body  []byte `json:"body"`
	Proof []byte `json:"proof"`
}

// errForeign is the error for an envelope from a program that does not belong to the run.
var errForeign = errors.New("the message comes from a program that does not belong to this run")

// messageProof returns the proof for a body: an HMAC with the token as its key. The HMAC also includes subject, which
// is nil for a message. For an answer, subject is the proof of the message, so that a program that does not know the
// token cannot answer by sending the message back.
func messageProof(token string, subject, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(token))
	_ = json.NewEncoder(mac).Encode([][]byte{subject, body}) // writing to a hash never fails
	return mac.Sum(nil)
}

// writeEnvelope writes a message or an answer, and returns its proof. For subject, see messageProof.
func writeEnvelope(to io.Writer, token string, subject []byte, message any) ([]byte, error) {
	body, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	e := envelope{body, messageProof(token, subject, body)}
	return e.Proof, json.NewEncoder(to).Encode(e)
}

// readEnvelope reads a message or an answer, and returns its proof. For subject, see messageProof. It returns
// errForeign if the proof is wrong.
func readEnvelope(from io.Reader, token string, subject []byte, message any) ([]byte, error) {
	var e envelope
	if err := json.NewDecoder(io.LimitReader(from, maxEnvelopeBytes)).Decode(&e); err != nil {
		return nil, err
	}
	if !hmac.Equal(e.Proof, messageProof(token, subject, e.Body)) {
		return nil, errForeign
	}
	return e.Proof, json.Unmarshal(e.Body, message)
}
