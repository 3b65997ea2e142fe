package notify

import "paraph/kv"

// PutAsIs stores a message without encrypting it, as older versions did.
func PutAsIs(tx *kv.Tx, m Message) error { return outbox.Put(tx, m.ID, m) }

// PutDelivery stores a delivery.
func PutDelivery(tx *kv.Tx, d Delivery) error { return deliveries.Put(tx, d.ID, d) }

// MaxDeliveries is how many deliveries of one webhook are kept.
const MaxDeliveries = maxDeliveries

// SweepBatch is how many records are removed in one transaction.
const SweepBatch = sweepBatch

// Hurried is how many messages become due in one transaction.
const Hurried = hurried

// GetAsIs returns a message as it is stored.
func GetAsIs(tx *kv.Tx, id string) (Message, error) { return outbox.Get(tx, id) }

// DeliveriesOf counts the deliveries of a webhook, even of one that was deleted.
func DeliveriesOf(db *kv.DB, webhook string) (n int, err error) {
	err = db.View(func(tx *kv.Tx) error {
		n, err = deliveries.Count(tx, "webhook", kv.K(webhook, anyStatus))
		return err
	})
	return n, err
}
