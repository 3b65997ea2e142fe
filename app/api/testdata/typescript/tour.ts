// What the README does with curl, with the client that hey-api makes of the description, and the message of a webhook:
// node tour.js SERVER TOKEN FILE > SIGNED
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { createDocument, createWebhook, downloadDocument, signInvitation, type WebhookMessage } from "./paraph";
import { client } from "./paraph/client.gen";

async function tour(): Promise<void> {
  const [server, token, file] = process.argv.slice(2);
  client.setConfig({ baseUrl: server, throwOnError: true });
  const bearer = (token: string) => ({ headers: { authorization: "Bearer " + token }, throwOnError: true as const });

  const messages = createServer();
  messages.listen(0, "127.0.0.1");
  await once(messages, "listening");
  const received = new Promise<{ headers: IncomingHttpHeaders; body: string }>((resolve) =>
    messages.on("request", async (request, answer) => {
      let body = "";
      for await (const part of request) body += part;
      answer.end();
      resolve({ headers: request.headers, body });
    }),
  );
  const { port } = messages.address() as AddressInfo;
  const hook = await createWebhook({
    ...bearer(token),
    body: { url: `http://127.0.0.1:${port}`, events: ["document.completed"] },
  });

  const content = (await readFile(file)).toString("base64");
  const { data: sent } = await createDocument({
    ...bearer(token),
    body: {
      title: "Lease",
      files: [{ name: "lease.pdf", content }],
      invitations: [{ name: "Ben Buyer", email: "ben@example.org" }],
      send: true,
    },
  });
  const [ben] = sent.invitations;
  const link = ben.sign_url!.split("/s/")[1];
  await signInvitation({ ...bearer(link), path: { document: sent.id, invitation: ben.id }, body: {} });

  const { headers, body } = await received;
  messages.close();
  const verified = new Webhook(hook.data.secret!);
  const message = verified.verify(body, headers as Record<string, string>) as WebhookMessage;
  if (message.type !== "document.completed" || message.data.document?.id !== sent.id)
    throw new Error("not the message: " + body);
  let forged = true;
  try {
    verified.verify(body + " ", headers as Record<string, string>);
  } catch {
    forged = false;
  }
  if (forged) throw new Error("a changed message has a valid signature");

  const sealed = await downloadDocument({
    ...bearer(token),
    path: { document: sent.id },
    body: {},
    parseAs: "arrayBuffer",
  });
  process.stdout.write(new Uint8Array(sealed.data as unknown as ArrayBuffer));
}

tour().catch((why) => {
  console.error(why);
  process.exitCode = 1;
});
