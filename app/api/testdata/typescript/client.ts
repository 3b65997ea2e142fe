// A program written against the types that openapi-typescript makes of the description. It has to
// compile, and what is marked as wrong must not.
import type { components, operations } from "./paraph";

type Schemas = components["schemas"];

export async function first(base: string, token: string): Promise<string> {
  const body: Schemas["CreateDocumentRequest"] = {
    title: "Lease",
    signing_order: "sequential",
    invitations: [{ name: "Ben Buyer", email: "ben@example.org", authentication: "email_code" }],
    fields: [{ type: "signature", invitation_id: "0", page: 1, x: 0.1, y: 0.8, width: 0.3, height: 0.06 }],
    send: true,
  };
  const answer = await fetch(base + "/documents", {
    method: "POST",
    headers: { authorization: "Bearer " + token, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) {
    const refused: Schemas["ErrorResponse"] = await answer.json();
    throw new Error(refused.code + ": " + refused.message);
  }
  const made: operations["createDocument"]["responses"][201]["content"]["application/json"] = await answer.json();
  return made.invitations.map((i) => i.sign_url ?? i.status).join(" ");
}

export function received(message: Schemas["WebhookMessage"]): string {
  switch (message.type) {
    case "document.completed":
      return message.data.document?.title ?? "purged";
    case "invitation.signed":
      return message.data.event.actor.name ?? "";
    default:
      return message.type;
  }
}

// @ts-expect-error a contact needs an address
export const nobody: Schemas["CreateContactRequest"] = { name: "Ben Buyer" };
// @ts-expect-error an order is one of two words
export const inRows: Schemas["CreateDocumentRequest"] = { signing_order: "by rows" };
// @ts-expect-error there is no such event
export const misspelt: Schemas["WebhookMessage"]["type"] = "document.complete";
